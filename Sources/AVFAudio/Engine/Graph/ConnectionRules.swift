/// The conditions of a connection, with the error where one is not fulfilled (E20, E21).
enum ConnectionRules {
    /// Throws the error of a connection that cannot be made; called with ``GraphLock`` held.
    static func check(
        _ source: AVAudioNode, _ bus: AVAudioNodeBus, _ points: [(node: AVAudioNode, bus: AVAudioNodeBus)],
        _ format: AVAudioFormat?, in engine: AVAudioEngine, _ connections: GraphConnections
    ) throws {
        for node in [source] + points.map(\.node) { try check(node, engine) }
        guard bus == 0, source.hasOutput else {
            throw NSError.engine(.invalidElement, "\(source.name) has no output \(bus).")
        }
        for point in points {
            guard point.bus >= 0, point.bus < point.node.inputLimit ?? .max else {
                throw NSError.engine(.invalidElement, "\(point.node.name) has no input \(point.bus).")
            }
            guard !connections.reaches(source, from: point.node) else {
                throw NSError.engine(
                    .noConnection, "A connection of \(source.name) to \(point.node.name) would be a circle.")
            }
        }
        let format = format ?? source.outputFormat
        guard format.canBeRendered else {
            throw NSError.engine(
                .formatNotSupported,
                "\(source.name) cannot be connected with \(format.summary), as that is no common format of PCM.")
        }
    }

    /// Throws −10876 if sound would reach the output both through a unit that changes the time and past it (E16).
    static func checkTime(_ connections: GraphConnections) throws {
        guard let (unit, node) = connections.passedUnit else { return }
        throw NSError.engine(
            .noConnection, "\(node.name) leads through \(unit.name), which changes the time, and past it.")
    }

    private static func check(_ node: AVAudioNode, _ engine: AVAudioEngine) throws {
        guard let owner = node.facts.engine else {
            throw NSError.engine(.uninitialized, "\(node.name) is not attached to the engine.")
        }
        guard owner === engine else {
            throw NSError.audio(kAudio_ParamError, "\(node.name) is attached to another engine.")
        }
    }
}
