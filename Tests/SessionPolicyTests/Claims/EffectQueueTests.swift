import SessionPolicy
import TestSupport
import Testing

@Suite("Effects that lead to effects", .limited)
struct EffectQueueTests {
    /// Carries numbers out; some lead to others.
    private struct Owner {
        var queue = EffectQueue<Int>()
        var done: [Int] = []
        var depth = 0
        var deepest = 0
        let next: [Int: [Int]]

        mutating func run(_ effects: [Int]) {
            guard queue.append(effects) else { return }
            depth += 1
            deepest = max(deepest, depth)
            while let effect = queue.popFirst() {
                done.append(effect)
                run(next[effect] ?? [])
            }
            depth -= 1
        }
    }

    @Test("come after all that were decided before them, in one loop")
    func order() {
        var owner = Owner(next: [1: [10, 11], 10: [100], 2: [20]])
        owner.run([1, 2, 3])
        #expect(owner.done == [1, 2, 3, 10, 11, 20, 100])
        #expect(owner.deepest == 1)
    }

    @Test("The loop runs again after its end, and for no effects at all")
    func runsAgain() {
        var owner = Owner(next: [:])
        owner.run([])
        owner.run([1])
        owner.run([2])
        #expect(owner.done == [1, 2])
    }

    @Test("Effects that became void are dropped, and the loop goes on with the rest")
    func dropped() {
        var queue = EffectQueue<Int>()
        let isFirst = queue.append([1, 2, 3, 4])
        #expect(isFirst)
        let first = queue.popFirst()
        #expect(first == 1)
        queue.removeAll { $0.isMultiple(of: 2) }
        let isMine = queue.append([5])
        #expect(!isMine)
        let rest = [queue.popFirst(), queue.popFirst(), queue.popFirst()]
        #expect(rest == [3, 5, nil])
        let isMineAgain = queue.append([6])
        #expect(isMineAgain)
    }
}
