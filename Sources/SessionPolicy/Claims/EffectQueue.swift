/// A queue of effects, which its owner carries out one after the other, without nesting.
///
/// Carrying an effect out may lead to another input of the same value. Its effects follow those decided before, and are
/// carried out by the loop that is running already:
///
///     guard queue.append(effects) else { return }
///     while let effect = queue.popFirst() { carryOut(effect) }
package struct EffectQueue<Effect> {
    private var waiting: ArraySlice<Effect> = []
    private var isRunning = false

    /// Creates an empty queue whose loop is not running.
    package init() {}

    /// Adds effects, and returns whether the caller must run the loop; false if it is running further up the stack.
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
