internal import CAVAudioSession
internal import SessionPolicy

/// A route, as a C program asks about it.
final class RouteObject: Sendable {
    /// A port with its texts.
    struct Port: Sendable {
        let kind, name, uid: CText
        let channels: Int32

        init(_ port: RoutePort) {
            kind = CText(port.kind.rawValue)
            name = CText(port.name)
            uid = CText(port.uid)
            channels = Int32(clamping: port.channels.count)
        }
    }

    private let inputs, outputs: [Port]

    init(_ route: Route) {
        inputs = route.inputs.map { Port($0) }
        outputs = route.outputs.map { Port($0) }
    }

    /// The ports of a direction; throws for a number that is none.
    func ports(_ direction: Int32) throws(Failure) -> [Port] {
        try isInput(direction) ? inputs : outputs
    }

    /// One port; throws if there is none.
    func port(_ direction: Int32, _ index: Int32) throws(Failure) -> Port {
        let ports = try ports(direction)
        guard ports.indices.contains(Int(index)) else {
            throw Failure(AVAS_ERROR_ARGUMENT, "The route has \(ports.count) such ports, and none with index \(index).")
        }
        return ports[Int(index)]
    }
}

/// Whether a direction is the input; throws for a number that is no direction.
func isInput(_ direction: Int32) throws(Failure) -> Bool {
    guard direction == AVAS_INPUT || direction == AVAS_OUTPUT else {
        throw Failure(AVAS_ERROR_ARGUMENT, "\(direction) is no direction.")
    }
    return direction == AVAS_INPUT
}
