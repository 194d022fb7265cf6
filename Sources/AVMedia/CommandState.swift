internal import Glibc
internal import Locks

/// A value that commands change one after the other, and that other threads read without waiting for a command.
///
/// A command works on a copy. Its own thread sees each change at once; other threads see all changes together when the
/// command has returned. A command may wait for the sound server; a read never waits for a command.
final class CommandState<Value: Sendable>: Sendable {
    private struct State {
        /// The value for all threads but that of the running command.
        var published: Value
        /// The running command's copy; nil while no command runs.
        var working: Value?
        /// The running command's thread.
        var owner = pthread_self()
        /// Commands within commands of the same thread.
        var depth = 0
        /// Grows with each change of `published`.
        var version = 0
        /// Work for after the publication.
        var deferred: [@Sendable () -> Void] = []

        /// Whether the calling thread runs the command.
        var isOwn: Bool { working != nil && pthread_equal(owner, pthread_self()) != 0 }

        var current: Value { isOwn ? working ?? published : published }
    }

    /// Held during a command; comes before all locks that the command takes.
    private let order = CallLock()
    /// A leaf.
    private let state: Guarded<State>

    init(_ initial: Value) { state = Guarded(State(published: initial)) }

    // MARK: Reading

    /// A copy of the value; on the thread of the running command the command's copy.
    var value: Value { state.withLock { $0.current } }

    /// The result of `body`, which computes it from the value and from objects that the value refers to.
    ///
    /// Computed anew if a command has published a change meanwhile.
    func read<Result>(_ body: (Value) -> Result) -> Result {
        while true {
            let (value, version) = state.withLock { ($0.current, $0.version) }
            let result = body(value)
            if state.withLock({ $0.version }) == version { return result }
        }
    }

    // MARK: Commands

    /// Runs a command; waits for commands of other threads first.
    func run<Result, E: Error>(_ body: () throws(E) -> Result) throws(E) -> Result {
        try order.withLock { () throws(E) in
            begin()
            defer { end() }
            return try body()
        }
    }

    /// Runs a command unless another thread runs one; nil at once in that case.
    func runIfFree<Result>(_ body: () -> Result) -> Result? {
        order.withLockIfFree {
            begin()
            defer { end() }
            return body()
        }
    }

    /// Changes the command's copy; outside of a command a command by itself.
    func change(_ body: (inout Value) -> Void) {
        run {
            state.withLock { state in
                var value = state.current
                body(&value)
                state.working = value
            }
        }
    }

    /// Changes the value for all threads at once, in the middle of a command too.
    ///
    /// Objects that the change releases must be kept by the caller: a leaf lock is held.
    func changeAtOnce(_ body: (inout Value) -> Void) {
        state.withLock { state in
            body(&state.published)
            state.version += 1
            guard var value = state.working else { return }
            body(&value)
            state.working = value
        }
    }

    /// Changes the value for other threads than the command's, until the command returns.
    ///
    /// For a command whose steps would be visible in objects that the value refers to.
    func hold(_ body: (inout Value) -> Void) {
        state.withLock {
            body(&$0.published)
            $0.version += 1
        }
    }

    /// Runs `body` when the command has published its changes, before the next command; without a command at once, after
    /// those of other threads.
    ///
    /// Whoever is notified reads the properties, so each notification belongs here. `body` must not wait.
    func afterwards(_ body: @escaping @Sendable () -> Void) {
        run { state.withLock { $0.deferred.append(body) } }
    }

    private func begin() {
        state.withLock {
            if $0.depth == 0 { ($0.working, $0.owner) = ($0.published, pthread_self()) }
            $0.depth += 1
        }
    }

    private func end() {
        // The old value may hold the last reference to an object of the app, which is released without the leaf lock.
        let (old, deferred) = state.withLock { state -> (Value?, [@Sendable () -> Void]) in
            state.depth -= 1
            guard state.depth == 0, let new = state.working else { return (nil, []) }
            let ended = (state.published, state.deferred)
            (state.published, state.working, state.deferred) = (new, nil, [])
            state.version += 1
            return ended
        }
        for body in deferred { body() }
        withExtendedLifetime(old) {}
    }
}
