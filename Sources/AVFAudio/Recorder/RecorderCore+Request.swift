internal import AudioFiles
internal import AudioHost
internal import AudioSession
internal import Foundation
internal import SessionPolicy

/// A recorder's requests to the sound server; with the recorder's lock held.
extension RecorderCore {
    /// Completes the format with the input's rate and channels, of which the app may have preferred fewer.
    func complete(_ format: RecordingFormat, host: any AudioHost, source: String?) throws -> RecordingFormat {
        guard format.isOpen else { return format }
        let inputs = try host.inputs()
        let input = inputs.first { source == nil ? $0.isDefault : $0.name == source } ?? inputs.first
        let wish = session.core.preferences.devices.inputChannels
        let channels = input.map { wish > 0 ? min(wish, $0.channels) : $0.channels }
        return format.completed(
            rate: input?.rate ?? 44100, channels: assignments.map { max(1, $0.count) } ?? channels ?? 2)
    }

    func captureRequest(
        _ format: RecordingFormat, settings: SessionSettings, source: String?
    ) throws(AudioFileError) -> CaptureRequest {
        let channels = format.channels ?? 2
        guard channels <= CaptureRequest.mostChannels else {
            throw AudioFileError(
                .unsupportedEncoding,
                "has \(channels) channels, and a sound server carries \(CaptureRequest.mostChannels) at most")
        }
        var request = CaptureRequest(
            format: format.captureFormat, rate: Int(format.captureRate), channels: channels,
            role: settings.captureRole, source: source)
        request.processing = settings.processing(prefersEchoCancelled: session.core.preferences.echoCancelledInput)
        request.pace = metering ? .watched : .usual
        request.places = format.places
        if let assignments, assignments.count == channels {
            request.sourceChannels = assignments.map { $0.channelNumber - 1 }
        }
        return request
    }
}

extension RecorderCore: SessionParticipant {
    func interruptionBegan() {
        if interrupted.isSet { onInterruption(true, false) }
    }

    func interruptionEnded(shouldResume: Bool) {
        if interrupted.clear() { onInterruption(false, shouldResume) }
    }
}
