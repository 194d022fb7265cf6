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
    private let route: Route

    init(_ route: Route) {
        self.route = route
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

    /// The route in JSON, in ASCII but for what is in names.
    var json: String { "{\"outputs\":\(list(route.outputs)),\"inputs\":\(list(route.inputs))}" }

    private func list(_ ports: [RoutePort]) -> String {
        let objects = ports.map { port in
            let texts = [("type", port.kind.rawValue), ("name", port.name), ("uid", port.uid)]
            let members = texts.map { "\"\($0)\":\(quoted($1))" } + ["\"channels\":\(port.channels.count)"]
            return "{\(members.joined(separator: ","))}"
        }
        return "[\(objects.joined(separator: ","))]"
    }
}

/// A text as a string of JSON.
private func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
        switch scalar.value {
        case 0..<32:
            let digits = String(scalar.value, radix: 16)
            result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        case 34, 92: result += "\\\(scalar)"
        default: result.unicodeScalars.append(scalar)
        }
    }
    return result + "\""
}

/// Whether a direction is the input; throws for a number that is no direction.
func isInput(_ direction: Int32) throws(Failure) -> Bool {
    guard direction == AVAS_INPUT || direction == AVAS_OUTPUT else {
        throw Failure(AVAS_ERROR_ARGUMENT, "\(direction) is no direction.")
    }
    return direction == AVAS_INPUT
}
