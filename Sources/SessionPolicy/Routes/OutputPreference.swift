/// Which sink the session's output is to be on, where that is not left to the server.
///
/// The first of these that is there:
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
    /// The port that the app chose, by its name for programs: a sink may have another one in use later.
    package private(set) var chosen: String?
    /// How often it chose: the same again, or nothing, is another choice where somebody else has chosen meanwhile.
    package private(set) var choices = 0
    /// Whether the app wants the speaker, whatever is plugged in.
    package var overridesToSpeaker = false
    /// What the speaker is wanted in place of; nil until it is known.
    private var overridden: Overridden?

    package init() {}

    /// Whether all is left to the server.
    package var isEmpty: Bool { chosen == nil && !overridesToSpeaker }

    /// Takes over what the app chose; nil leaves it to the server.
    package mutating func choose(_ port: String?) {
        chosen = port
        choices += 1
    }

    /// The same, with the port that is chosen in whichever app.
    package func sharing(_ choice: SharedChoice?) -> OutputPreference {
        var preference = self
        if let choice { preference.chosen = choice.port }
        return preference
    }

    /// The preference that takes this one's place: the speaker may be preferred still.
    package func followed(by next: OutputPreference) -> OutputPreference {
        var next = next
        if overridesToSpeaker, next.overridesToSpeaker { next.overridden = overridden }
        return next
    }

    /// Takes over what the default sink is; returns whether that is news that ends the override.
    ///
    /// What is plugged in becomes the default sink, and so does what the user chooses; but one that is not there is
    /// nobody's choice.
    package mutating func endsOverride(with facts: RouteFacts) -> Bool {
        guard overridesToSpeaker, let usual = facts.defaultSink, facts.sinks.contains(where: { $0.device == usual }),
            overridden?.excuses(usual, in: facts) != true
        else { return false }
        let isNews = overridden != nil
        overridden = isNews ? nil : Overridden(usual, in: facts)
        overridesToSpeaker = !isNews
        return isNews
    }

    /// The default output beside which the speaker was wanted.
    ///
    /// A Bluetooth headset that is recorded from no more goes over to another profile, and has no sink for a moment. That
    /// follows from the choice of the speaker, which takes the built-in microphone along: nobody chose what the server
    /// makes the default meanwhile.
    private struct Overridden: Hashable, Sendable {
        private var sink: String
        /// The card of a Bluetooth headset.
        private let headset: UInt32?
        /// What was the default one while the headset had no sink, for as long as it stays that.
        private var standIn: String?

        init(_ sink: String, in facts: RouteFacts) {
            self.sink = sink
            let card = facts.sinks.first { $0.device == sink }?.card
            headset = card.flatMap { facts.bluetoothCards.contains($0) ? $0 : nil }
        }

        /// Whether this default sink is nobody's choice.
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
    /// Whether it may record from what is of this kind: of hands-free sets only where the app said so.
    ///
    /// To record from one takes its music's quality away. LE Audio has both at once.
    package func allowsInput(from kind: PortKind) -> Bool {
        kind != .bluetoothHFP || options.contains(.allowBluetoothHFP)
    }

    /// Whether its output may be an AirPlay receiver: where sound comes a second late, nobody can talk.
    var allowsAirPlay: Bool {
        switch category {
        case .ambient, .soloAmbient, .playback: true
        case .playAndRecord: options.contains(.allowAirPlay)
        default: false
        }
    }

    /// Whether the route is the same under others, as far as it depends on them.
    package func hasRoute(of other: SessionSettings) -> Bool {
        let matters: CategoryOptions = [.allowAirPlay, .allowBluetoothHFP, .defaultToSpeaker]
        return category == other.category && options.intersection(matters) == other.options.intersection(matters)
    }

    /// Whether what the server chose may be refused, or another device may be meant.
    package var mayBeElsewhere: Bool { allowsInput || options.contains(.defaultToSpeaker) || !allowsAirPlay }
}

extension RouteFacts {
    /// The sink that a preference comes down to; nil where it is the server's decision.
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

    /// The source that a preference comes down to; nil where it is the server's decision.
    ///
    /// For multiRoute that of USB, a headset or the machine that came last. For others,
    /// where the default is a hands-free set's that the app has not allowed, the first of these that is there: the
    /// built-in microphone; another one; what a server without any gives, the default sink's monitor; a filter, which may
    /// stand on that very set. Where there is nothing else at all, the set: whoever records is to get something.
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

    /// The facts as they are for a stream that comes where these preferences want it.
    package func granting(_ wanted: (sink: String?, source: String?)) -> RouteFacts {
        var facts = self
        facts.defaultSink = wanted.sink ?? defaultSink
        facts.defaultSource = wanted.source ?? defaultSource
        return facts
    }

    private var speaker: RoutePort? { sinks.first { $0.kind == .speaker } }
}
