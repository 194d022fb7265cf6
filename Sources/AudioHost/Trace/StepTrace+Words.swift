package import SessionPolicy

// The names of events in a trace. They are spelled out, because the description of a value takes longer than the rest of
// a step: together with its numbers it took half of a traced activation's additional instructions.

extension StepTrace {
    /// The name of an event, with the cause of an interruption.
    package static func word(for event: HostEvent) -> String {
        switch event {
        case .activated: "activated"
        case .interruptionBegan(let cause, _): word(for: cause)
        case .interruptionEnded: "interruptionEnded"
        case .refusalEnded: "refusalEnded"
        case .resumingForbidden: "resumingForbidden"
        case .resumptionTimerFired: "resumptionTimerFired"
        case .secondaryAudioHint: "secondaryAudioHint"
        case .routeChanged: "routeChanged"
        case .availableInputsChanged: "availableInputsChanged"
        case .preferredInputLost: "preferredInputLost"
        case .overrideEnded: "overrideEnded"
        case .ioStarted: "ioStarted"
        case .ioStopped: "ioStopped"
        case .unmanagedStreams: "unmanagedStreams"
        case .idleTimerFired: "idleTimerFired"
        case .servicesLost: "servicesLost"
        case .servicesReset: "servicesReset"
        }
    }

    private static func word(for cause: InterruptionCause) -> String {
        switch cause {
        case .session: "interruptionBegan session"
        case .foreignCall: "interruptionBegan foreignCall"
        case .serverPolicy: "interruptionBegan serverPolicy"
        case .streamKilled: "interruptionBegan streamKilled"
        case .deviceSuspended: "interruptionBegan deviceSuspended"
        case .routeDisconnected: "interruptionBegan routeDisconnected"
        case .inputMuted: "interruptionBegan inputMuted"
        }
    }

    /// The name of a notification.
    package static func word(for notification: SessionNotification) -> String {
        switch notification {
        case .interruptionBegan: "interruptionBegan"
        case .interruptionEnded: "interruptionEnded"
        case .refusalEnded: "refusalEnded"
        case .activated: "activated"
        case .deactivated: "deactivated"
        case .secondaryAudioHint: "secondaryAudioHint"
        case .outputMuted: "outputMuted"
        case .inputMuted: "inputMuted"
        case .servicesLost: "servicesLost"
        case .servicesReset: "servicesReset"
        }
    }
}
