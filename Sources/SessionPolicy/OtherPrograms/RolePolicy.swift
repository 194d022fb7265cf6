/// A policy of the sound server's that lowers or cuts off streams by their roles, through a sink for each group of roles.
///
/// A stream plays into the sink for its role, and a loopback carries its sound to a device. Among the sinks in use the one of
/// the highest priority says what happens to the sound of the others.
///
/// WirePlumber 0.5: the properties `policy.role-based.…` of its sinks. The session manager counts a paused stream as one that
/// plays, and so does this value.
package struct RolePolicy: Hashable, Sendable {
    /// What a sink does to the sound of another one while it is in use.
    package enum Action: String, Hashable, Sendable {
        /// Nothing.
        case mix
        /// Lowers it.
        case duck
        /// Cuts it off: its streams have no device until that is over.
        case cork
    }

    /// A sink for roles.
    package struct Target: Hashable, Sendable {
        /// The name for people, such as `Communication`.
        package var name: String
        /// The priority; the sink in use that has the highest one rules.
        package var priority: Int
        /// What it does to other sinks of its priority.
        package var samePriority: Action
        /// What it does to sinks of lower priorities.
        package var lowerPriority: Action

        /// A sink with these values.
        package init(name: String, priority: Int, samePriority: Action = .mix, lowerPriority: Action = .mix) {
            self.name = name
            self.priority = priority
            self.samePriority = samePriority
            self.lowerPriority = lowerPriority
        }
    }

    /// What rules over a stream.
    package struct Rule: Hashable, Sendable {
        /// What happens to the stream.
        package let action: Action
        /// The sink that rules.
        package let target: Target
        /// A stream that plays into it.
        package let ruler: ServerStream
        /// Whether the stream's own sink has the same priority, rather than a lower one.
        package let isOfSamePriority: Bool

        /// The setting that says so.
        package var setting: String { "policy.role-based.action.\(isOfSamePriority ? "same" : "lower")-priority" }
    }

    /// The sinks for roles, by the server's indexes; empty where the server has no such policy.
    package var targets: [UInt32: Target]

    /// A policy of these sinks.
    package init(targets: [UInt32: Target] = [:]) { self.targets = targets }

    /// What a sink for roles does to the sound of another one; nothing if one of the two is none.
    package func action(of ruler: UInt32?, on subject: UInt32?) -> Action {
        guard let ruler, let subject, ruler != subject, let above = targets[ruler], let below = targets[subject],
            above.priority >= below.priority
        else { return .mix }
        return above.priority == below.priority ? above.samePriority : above.lowerPriority
    }

    /// What rules over a playback stream now, among all streams; nil if nothing does.
    ///
    /// A stream that is cut off has no device and no sink for its role any more.
    package func rule(over stream: ServerStream, among streams: [ServerStream]) -> Rule? {
        let playing = streams.filter { $0.direction == .playback && $0.roleSink.flatMap { targets[$0] } != nil }
        let ruler = playing.max { first, second in
            let (one, other) = (priority(of: first), priority(of: second))
            return one == other ? first.isCorked && !second.isCorked : one < other
        }
        guard let ruler, ruler.index != stream.index, let target = ruler.roleSink.flatMap({ targets[$0] }) else {
            return nil
        }
        let isCutOff = stream.device == nil && target.lowerPriority == .cork
        let action = isCutOff ? .cork : action(of: ruler.roleSink, on: stream.roleSink)
        guard action != .mix else { return nil }
        return Rule(
            action: action, target: target, ruler: ruler,
            isOfSamePriority: !isCutOff && priority(of: stream) == target.priority)
    }

    private func priority(of stream: ServerStream) -> Int {
        stream.roleSink.flatMap { targets[$0]?.priority } ?? .min
    }
}
