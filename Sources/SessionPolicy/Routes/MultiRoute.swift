/// What a session of category multiRoute plays on at once, and what it records from.
///
/// | what is there | outputs |
/// |---|---|
/// | headphones, and one of USB, HDMI, a line out | both |
/// | one of them, or several that are no such pair | one: the default sink's, else the first |
/// | none of them | the speaker; without one, what the server would choose |
///
/// | what is there | input |
/// |---|---|
/// | USB, a wired headset's microphone, a built-in one | the one that came last |
/// | none of them | the server's decision |
///
/// Apple: the remarks at `AVAudioSession.Category.multiRoute`.
extension RouteFacts {
    /// The ports, the one that sound goes to which nobody directed elsewhere first.
    package var simultaneousOutputs: [RoutePort] {
        let accessories = sinks.filter { $0.kind.isMultiRouteAccessory && present.contains($0.uid) }
        let headphones = best(accessories.filter { $0.kind == .headphones })
        let others = best(accessories.filter { $0.kind != .headphones })
        let pair = [others, headphones].compactMap { $0 }
        guard !pair.isEmpty else { return [sinks.first { $0.kind == .speaker } ?? output].compactMap { $0 } }
        return pair.filter { $0.device == defaultSink } + pair.filter { $0.device != defaultSink }
    }

    /// The port that is recorded from, where that is not the server's decision: its default may be one that came before.
    ///
    /// Those that were there before the server count in its order, which says nothing.
    package var lastInput: RoutePort? {
        sources.filter { $0.kind.isMultiRouteInput && $0.isPresent(among: present) }
            .max { (arrivals[$0.device] ?? 0) < (arrivals[$1.device] ?? 0) }
    }

    /// The port that sound goes to which nobody directed elsewhere, if that is none of them: the app chose it.
    var mainOutputBesidePair: [RoutePort] {
        let pair = simultaneousOutputs
        return sinks.filter { port in port.device == defaultSink && !pair.contains { $0.device == port.device } }
    }

    private func best(_ ports: [RoutePort]) -> RoutePort? { ports.first { $0.device == defaultSink } ?? ports.first }
}

extension PortKind {
    /// Whether it takes part in a multiple route, in place of the speaker.
    fileprivate var isMultiRouteAccessory: Bool {
        switch self {
        case .usb, .lineOut, .headphones, .hdmi, .displayPort: true
        default: false
        }
    }

    /// Whether a multiple route may record from it.
    fileprivate var isMultiRouteInput: Bool { self == .usb || self == .wiredMicrophone || self == .builtInMicrophone }
}
