import Foundation
import TestSupport
import Testing

@testable import AVMedia

@Suite("A value that commands change, and that others read at once", .limited)
struct CommandStateTests {
    /// A command that has changed the value and waits.
    private func withCommand(
        on state: CommandState<Int>, _ change: @escaping @Sendable () -> Void, meanwhile: () async throws -> Void
    ) async throws {
        let gate = Gate()
        let command = Task {
            try await offPool {
                state.run {
                    change()
                    gate.pass()
                }
            }
        }
        try await waitUntil("the command") { gate.arrived == 1 }
        try await meanwhile()
        gate.open()
        try await command.value
    }

    @Test("Other threads read the value from before a command until it returns, the command its own")
    func publication() async throws {
        let (state, own) = (CommandState(1), Log<Int>())
        try await withCommand(on: state) {
            state.change { $0 = 2 }
            own.note(state.value)
        } meanwhile: {
            #expect(state.value == 1 && state.read { $0 } == 1)
            #expect(own.all == [2])
            #expect(state.runIfFree {} == nil)
        }
        #expect(state.value == 2)
        #expect(state.runIfFree { state.change { $0 = 3 } } != nil && state.value == 3)
    }

    @Test("A command within a command publishes nothing by itself")
    func nesting() async throws {
        let state = CommandState(1)
        try await withCommand(on: state) {
            state.run { state.change { $0 = 2 } }
            state.change { $0 += 1 }
        } meanwhile: {
            #expect(state.value == 1)
        }
        #expect(state.value == 3)
    }

    @Test("Work for after a command finds the value published, in order, and before the next command")
    func deferral() async throws {
        let (state, seen) = (CommandState(1), Log<Int>())
        try await withCommand(on: state) {
            for addend in [10, 20] {
                // On another thread: the command's own sees the value in any case.
                state.afterwards { DispatchQueue.global().sync { seen.note(state.value + addend) } }
            }
            state.change { $0 = 2 }
        } meanwhile: {
            #expect(seen.all.isEmpty)
        }
        #expect(seen.all == [12, 22])
        state.afterwards { seen.note(state.value) }
        #expect(seen.all == [12, 22, 2])
    }

    @Test("Commands of several threads run one after the other")
    func serialisation() async throws {
        let (state, inside) = (CommandState(0), Log<Int>())
        try await offPool {
            DispatchQueue.concurrentPerform(iterations: 4) { _ in
                for _ in 0..<250 {
                    state.run {
                        let value = state.value
                        state.change { $0 = value + 1 }
                        if state.value != value + 1 { inside.note(value) }
                    }
                }
            }
        }
        #expect(state.value == 1000 && inside.all.isEmpty)
    }

    @Test("A held value is read by others until the command returns")
    func hold() async throws {
        let state = CommandState(1)
        try await withCommand(on: state) {
            state.hold { $0 = 7 }
            #expect(state.value == 1)
            state.change { $0 = 2 }
        } meanwhile: {
            #expect(state.value == 7)
            state.changeAtOnce { $0 += 10 }
            #expect(state.value == 17)
        }
        #expect(state.value == 12)
    }

    @Test("A result is computed anew where the value was changed meanwhile")
    func rereading() async throws {
        let (state, looks) = (CommandState(1), Log<Int>())
        let result = state.read { value in
            looks.note(value)
            if looks.all.count == 1 { DispatchQueue.global().sync { state.change { $0 = 2 } } }
            return value
        }
        #expect(result == 2 && looks.all == [1, 2])
    }
}
