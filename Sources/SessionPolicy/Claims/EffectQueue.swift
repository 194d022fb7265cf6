/// A queue of effects, which makes an owner carry them out one after the other, without nesting.
///
/// Carrying an effect out may lead to another input of the same value. Its effects come after all that were decided
/// before it, and are carried out by the loop that runs already:
///
///     guard queue.append(effects) else { return }
///     while let effect = queue.popFirst() { carryOut(effect) }
package struct EffectQueue<Effect> {
    private var waiting: ArraySlice<Effect> = []
    private var isRunning = false

    /// An empty queue whose loop does not run.
    package init() {}

    /// Adds effects, and returns whether the caller is to run the loop; false where it runs further up the stack.
    package mutating func append(_ effects: [Effect]) -> Bool {
        waiting += effects
        defer { isRunning = true }
        return !isRunning
    }

    /// The next effect; nil ends the loop.
    package mutating func popFirst() -> Effect? {
        let next = waiting.popFirst()
        if next == nil {
            waiting = []
            isRunning = false
        }
        return next
    }

    /// Drops the effects for which `isVoid` is true.
    package mutating func removeAll(where isVoid: (Effect) -> Bool) { waiting.removeAll(where: isVoid) }
}
