/// The simultaneous outputs, and the input, of a session of category multiRoute.
///
/// | present | outputs |
/// |---|---|
/// | headphones, and one of USB, HDMI, a line out | both |
/// | one of them, or several that are no such pair | one: the default sink's, else the first |
/// | none of them | the speaker; without one, the server's choice |
///
/// | present | input |
/// |---|---|
/// | USB, a wired headset's microphone, a built-in one | the one that came last |
/// | none of them | the server's decision |
///
/// Apple: the remarks at `AVAudioSession.Category.multiRoute`.
extension RouteFacts {
    /// The outputs in use, the default one first.
    package var simultaneousOutputs: [RoutePort] {
        let accessories = sinks.filter { $0.kind.isMultiRouteAccessory && present.contains($0.uid) }
        let headphones = best(accessories.filter { $0.kind == .headphones })
        let others = best(accessories.filter { $0.kind != .headphones })
        let pair = [others, headphones].compactMap { $0 }
        guard !pair.isEmpty else { return [sinks.first { $0.kind == .speaker } ?? output].compactMap { $0 } }
        return pair.filter { $0.device == defaultSink } + pair.filter { $0.device != defaultSink }
    }

    /// The most recent input; nil to leave the choice to the server, whose default may be older.
    ///
    /// Inputs that are older than the server are in its order, which does not reflect time.
    package var lastInput: RoutePort? {
        sources.filter { $0.kind.isMultiRouteInput && $0.isPresent(among: present) }
            .max { (arrivals[$0.device] ?? 0) < (arrivals[$1.device] ?? 0) }
    }

    /// The default output, if it is not one of the simultaneous ones: the app chose it.
    var mainOutputBesidePair: [RoutePort] {
        let pair = simultaneousOutputs
        return sinks.filter { port in port.device == defaultSink && !pair.contains { $0.device == port.device } }
    }

    private func best(_ ports: [RoutePort]) -> RoutePort? { ports.first { $0.device == defaultSink } ?? ports.first }
}

extension PortKind {
    /// Whether a port of this kind takes part in a multiple route, in place of the speaker.
    fileprivate var isMultiRouteAccessory: Bool {
        switch self {
        case .usb, .lineOut, .headphones, .hdmi, .displayPort: true
        default: false
        }
    }

    /// Whether a multiple route may record from a port of this kind.
    fileprivate var isMultiRouteInput: Bool { self == .usb || self == .wiredMicrophone || self == .builtInMicrophone }
}
