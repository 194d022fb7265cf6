/// The sink for the session's output, if that is not left to the server.
///
/// The first available one of these:
///
/// | sink | holds until |
/// |---|---|
/// | that of the port that the app chose (a Linux addition), while that is in use; with a long-form policy, of the one that any such app chose last | another is chosen |
/// | the first of several, for multiRoute | the category changes, or a device comes or goes |
/// | a speaker, because the app overrode the output | another default output, a change of route that ``RouteChange/endsOverride`` names, another category, mode or option, an interruption, or the app's `.none` |
/// | that of the hands-free set whose microphone the app prefers | it prefers another |
/// | a speaker, for `defaultToSpeaker` where the default output is an earpiece | the category changes |
/// | a speaker, or any other sink, where the default one is AirPlay's and the category does not allow that | it does |
package struct OutputPreference: Hashable, Sendable {
    /// The uid of the port chosen by the app; its sink may have another active port later.
    package private(set) var chosen: String?
    /// The number of the app's choices: the same port again, or nil, is a new choice if another app has chosen
    /// meanwhile.
    package private(set) var choices = 0
    /// Whether the app has overridden the output to the speaker.
    package var overridesToSpeaker = false
    /// The default output that the override replaces; nil until it is known.
    private var overridden: Overridden?

    package init() {}

    /// Whether everything is left to the server.
    package var isEmpty: Bool { chosen == nil && !overridesToSpeaker }

    /// Sets the app's choice; nil leaves it to the server.
    package mutating func choose(_ port: String?) {
        chosen = port
        choices += 1
    }

    /// The same preference, with the port chosen by all long-form apps.
    package func sharing(_ choice: SharedChoice?) -> OutputPreference {
        var preference = self
        if let choice { preference.chosen = choice.port }
        return preference
    }

    /// The preference that replaces this one; an override to the speaker keeps its state.
    package func followed(by next: OutputPreference) -> OutputPreference {
        var next = next
        if overridesToSpeaker, next.overridesToSpeaker { next.overridden = overridden }
        return next
    }

    /// Evaluates the default sink; returns whether a change of it ends the override.
    ///
    /// A device that is plugged in becomes the default sink, and so does the user's choice. A default sink that does
    /// not exist is ignored.
    package mutating func endsOverride(with facts: RouteFacts) -> Bool {
        guard overridesToSpeaker, let usual = facts.defaultSink, facts.sinks.contains(where: { $0.device == usual }),
            overridden?.excuses(usual, in: facts) != true
        else { return false }
        let isNews = overridden != nil
        overridden = isNews ? nil : Overridden(usual, in: facts)
        overridesToSpeaker = !isNews
        return isNews
    }

    /// The default output that the override replaces.
    ///
    /// A Bluetooth headset that stops recording changes its profile, and has no sink for a moment. This follows from
    /// the override, which also selects the built-in microphone: the server's default meanwhile is no choice.
    private struct Overridden: Hashable, Sendable {
        private var sink: String
        /// The card of a Bluetooth headset.
        private let headset: UInt32?
        /// The default sink while the headset has no sink, as long as it stays the default.
        private var standIn: String?

        init(_ sink: String, in facts: RouteFacts) {
            self.sink = sink
            let card = facts.sinks.first { $0.device == sink }?.card
            headset = card.flatMap { facts.bluetoothCards.contains($0) ? $0 : nil }
        }

        /// Whether this default sink is no choice of the user.
        mutating func excuses(_ usual: String, in facts: RouteFacts) -> Bool {
            let isHeadsets = headset != nil && facts.sinks.first { $0.device == usual }?.card == headset
            if usual == sink || isHeadsets {
                (sink, standIn) = (usual, nil)
                return true
            }
            guard let headset, facts.bluetoothCards.contains(headset) else { return false }
            if !facts.sinks.contains(where: { $0.card == headset }) { standIn = usual }
            return usual == standIn
        }
    }
}

extension SessionSettings {
    /// Whether the session may record from ports of this kind: from hands-free sets only if the app allows them.
    ///
    /// Recording from a hands-free set reduces the quality of its playback. LE Audio does both at once.
    package func allowsInput(from kind: PortKind) -> Bool {
        kind != .bluetoothHFP || options.contains(.allowBluetoothHFP)
    }

    /// Whether the output may be an AirPlay receiver: its delay of a second rules out conversations.
    var allowsAirPlay: Bool {
        switch category {
        case .ambient, .soloAmbient, .playback: true
        case .playAndRecord: options.contains(.allowAirPlay)
        default: false
        }
    }

    /// Whether the route is the same under other settings, as far as it depends on settings.
    package func hasRoute(of other: SessionSettings) -> Bool {
        let matters: CategoryOptions = [.allowAirPlay, .allowBluetoothHFP, .defaultToSpeaker]
        return category == other.category && options.intersection(matters) == other.options.intersection(matters)
    }

    /// Whether the server's choice may be refused, or another device be used.
    package var mayBeElsewhere: Bool { allowsInput || options.contains(.defaultToSpeaker) || !allowsAirPlay }
}

extension RouteFacts {
    /// The sink for a preference; nil to leave it to the server.
    package func wantedSink(
        _ preference: OutputPreference, settings: SessionSettings, preferredInput: String?
    ) -> String? {
        if let chosen = preference.chosen, let port = sinks.first(where: { $0.grants(chosen) }) { return port.device }
        if settings.category == .multiRoute {
            let main = simultaneousOutputs.first?.device
            return main == defaultSink ? nil : main
        }
        let usual = sinks.first { $0.device == defaultSink }
        if usual?.kind == .airPlay, !settings.allowsAirPlay {
            return (speaker ?? sinks.first { $0.kind != .airPlay })?.device
        }
        guard settings.category == .playAndRecord else { return nil }
        if preference.overridesToSpeaker, let speaker { return speaker.device }
        if let input = sources.first(where: { $0.device == preferredInput }), input.kind == .bluetoothHFP,
            settings.allowsInput(from: input.kind),
            let output = sinks.first(where: { $0.card != nil && $0.card == input.card })
        {
            return output.device
        }
        return settings.options.contains(.defaultToSpeaker) && usual?.kind == .receiver ? speaker?.device : nil
    }

    /// The source for a preference; nil to leave it to the server.
    ///
    /// For multiRoute the most recent one of USB, headsets and built-in microphones. For other categories another
    /// source is only needed if the default is a hands-free set that the app has not allowed. Then the first available
    /// one of these is used: the built-in microphone; another one; the default sink's monitor, the default of a server
    /// without inputs; a filter, which may use that set. Without any other source the set is used, so that something is
    /// recorded.
    package func wantedSource(
        _ preference: OutputPreference, settings: SessionSettings, preferredInput: String?
    ) -> String? {
        if preference.overridesToSpeaker, settings.category == .playAndRecord,
            let microphone = sources.first(where: { $0.kind == .builtInMicrophone })
        {
            return microphone.device
        }
        let allowed = sources.filter { settings.allowsInput(from: $0.kind) }
        if allowed.contains(where: { $0.device == preferredInput }) { return preferredInput }
        if settings.category == .multiRoute, let input = lastInput {
            return input.device == defaultSource ? nil : input.device
        }
        guard let usual = sources.first(where: { $0.device == defaultSource }), !allowed.contains(usual) else {
            return nil
        }
        let monitor = defaultSink.flatMap { sink in allowed.first { $0.device == "\(sink).monitor" } }
        return
            (allowed.first { $0.kind == .builtInMicrophone } ?? allowed.first { $0.kind != .virtual } ?? monitor
            ?? allowed.first)?.device
    }

    /// The facts for a stream on the devices of these preferences.
    package func granting(_ wanted: (sink: String?, source: String?)) -> RouteFacts {
        var facts = self
        facts.defaultSink = wanted.sink ?? defaultSink
        facts.defaultSource = wanted.source ?? defaultSource
        return facts
    }

    private var speaker: RoutePort? { sinks.first { $0.kind == .speaker } }
}
