internal import CPipeWire
internal import Glibc

/// A connection to PipeWire's daemon that knows all playback streams and can lower them behind the user's volume.
///
/// It has a thread of its own, on which its handlers are called with its lock held; they may call anything here but
/// ``synchronize(timeout:)`` and must not block. All members may be used on any thread. The connection ends with
/// ``close()`` or the last reference.
// SAFETY: `raw` is set in `init` only; everything else is guarded by the lock that it points to.
package final class PipeWireConnection: @unchecked Sendable {
    /// What is told.
    package struct Handlers {
        /// A stream is there, or its volumes were set.
        var changed: ((StreamNode, StreamNodeChange) -> Void)?
        /// A stream is gone; its registry number.
        var removed: ((UInt32) -> Void)?
        /// The connection ended without being closed; once.
        var lost: ((PipeWireError) -> Void)?
        /// The ticks of ``setTicker(_:)``.
        var tick: (() -> Void)?
    }

    private struct Entry {
        var node: StreamNode
        let raw: OpaquePointer
        var filter = PropsEventFilter()
    }

    private let library: PipeWireLibrary
    private let box: WeakBox
    private var raw: OpaquePointer?
    private var handlers = Handlers()
    private var entries: [UInt32: Entry] = [:]
    private var pendingSyncs: Set<Int32> = []
    private var isClosed = false
    private var failure: PipeWireError?

    /// Connects, and returns when the streams that exist and their volumes are known.
    ///
    /// - Parameters:
    ///   - remote: a daemon's name or the path of its socket; nil for what `PIPEWIRE_REMOTE` and `XDG_RUNTIME_DIR` say.
    ///   - library: where it was loaded already.
    ///   - timeout: how long the daemon may take to answer.
    ///
    /// Throws `PipeWireError`: no library, no daemon, no permission, no answer.
    package init(
        remote: String? = nil, library: PipeWireLibrary? = nil, timeout: Duration = .seconds(2)
    ) throws(PipeWireError) {
        if let library { self.library = library } else { self.library = try PipeWireLibrary() }
        box = WeakBox()
        box.connection = self
        var code: Int32 = 0
        var events = pipewireEvents
        // SAFETY: the box outlives the connection, which `deinit` closes before it gives the box back.
        raw = pipewire_open(self.library.raw, remote, &events, Unmanaged.passRetained(box).toOpaque(), &code)
        guard let raw else { throw PipeWireError(connecting: remote, errno: code) }
        guard pipewire_start(raw) else { throw PipeWireError(.failed(EAGAIN), "no thread for libpipewire") }
        // The first answer comes after the list of streams, the second after their volumes.
        try synchronize(timeout: timeout)
        try synchronize(timeout: timeout)
    }

    /// The daemon whose socket lies in a runtime directory, as a name for ``init(remote:library:timeout:)``.
    package static func remote(inRuntimeDirectory directory: String) -> String { directory + "/pipewire-0" }

    deinit {
        // SAFETY: balances `passRetained` in `init`; after `pipewire_close` nobody else has the pointer.
        let box = Unmanaged.passUnretained(box)
        guard let raw else { return box.release() }
        // The thread cannot end itself, and the last reference may die in a handler.
        guard pipewire_is_own_thread(raw) else {
            pipewire_close(raw)
            return box.release()
        }
        let job = Disposal(connection: raw, library: library, box: self.box)
        job.runOnAThreadOfItsOwn()
    }

    /// Leaves the daemon.
    ///
    /// Nothing is told any more. It does nothing the second time. In a handler, the daemon sees us leave only when the
    /// last reference goes.
    package func close() {
        guard let raw else { return }
        withLock {
            guard !isClosed else { return }
            isClosed = true
            handlers = Handlers()
            entries = [:]
            pendingSyncs = []
            pipewire_set_timer(raw, 0)
            if !pipewire_is_own_thread(raw) { pipewire_disconnect(raw) }
            pipewire_signal(raw)
        }
    }

    /// Runs `body` with the lock held that all handlers are called with; may be nested.
    package func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        guard let raw else { return try body() }
        pipewire_lock(raw)
        defer { pipewire_unlock(raw) }
        return try body()
    }

    /// Says whom to tell, in place of those before.
    ///
    /// - Parameters:
    ///   - changed: a stream is there, or its volumes were set, with who did it.
    ///   - removed: a stream is gone; its registry number.
    ///   - lost: the connection ended without being closed; at once, if it did already.
    ///   - tick: see ``setTicker(_:)``.
    package func setHandlers(
        changed: (@Sendable (StreamNode, StreamNodeChange) -> Void)? = nil,
        removed: (@Sendable (UInt32) -> Void)? = nil,
        lost: (@Sendable (PipeWireError) -> Void)? = nil,
        tick: (@Sendable () -> Void)? = nil
    ) {
        withLock {
            handlers = Handlers(changed: changed, removed: removed, lost: lost, tick: tick)
            if let failure, !isClosed { lost?(failure) }
        }
    }

    /// Calls the `tick` handler at a steady pace; nil stops it.
    package func setTicker(_ interval: Duration?) {
        withLock {
            guard let raw, !isClosed else { return }
            pipewire_set_timer(raw, interval?.nanoseconds ?? 0)
        }
    }

    // MARK: Streams

    /// The streams whose volumes are known.
    package var nodes: [StreamNode] {
        withLock { entries.values.map(\.node).filter { !$0.channelVolumes.isEmpty } }
    }

    /// A stream by its number in the registry.
    package func node(_ id: UInt32) -> StreamNode? { withLock { entries[id]?.node } }

    /// The number of changes of a stream that the server has not confirmed.
    func unconfirmedChanges(ofNode id: UInt32) -> Int { withLock { entries[id]?.filter.unconfirmed ?? 0 } }

    /// Sets what is heard of a stream, one linear volume for each channel, in place of the user's volume.
    ///
    /// The user's volume stays what mixers show and what is remembered for the program; the user's mute stays in force.
    /// It ends with ``clearSoftVolumes(ofNode:)`` or any change that the user makes. **It outlives this process.**
    ///
    /// Returns what was sent, which differs from `volumes` by some millionths; nil if there is no such stream or it may
    /// not be changed.
    @discardableResult
    package func setSoftVolumes(_ volumes: [Float], ofNode id: UInt32) -> [Float]? {
        withLock {
            guard !isClosed, failure == nil, var entry = entries[id], entry.node.isWritable, !volumes.isEmpty else {
                return nil
            }
            let marked = entry.filter.mark(volumes)
            entries[id] = entry
            // Soft mute counts in place of the user's mute, so it has to say the same.
            pipewire_set_soft_volumes(entry.raw, marked, UInt32(marked.count), entry.node.isMuted)
            return marked
        }
    }

    /// Puts the user's volume into force again, whoever had set soft volumes; harmless where nobody had.
    ///
    /// Returns whether it could be asked for.
    @discardableResult
    package func clearSoftVolumes(ofNode id: UInt32) -> Bool {
        withLock {
            guard !isClosed, failure == nil, var entry = entries[id], entry.node.isWritable else { return false }
            let node = entry.node
            guard !node.channelVolumes.isEmpty else { return false }
            entry.filter.forget()
            entries[id] = entry
            // First equal values, so that nothing is heard of the second step and others do not see old soft volumes.
            pipewire_set_soft_volumes(
                entry.raw, node.channelVolumes, UInt32(node.channelVolumes.count), node.isMuted)
            // Setting the mute, like setting the volume, takes soft volumes out of force. A user who moves a slider at
            // this moment would lose against an old volume set here; nobody mutes within the same millisecond.
            pipewire_set_mute(entry.raw, node.isMuted)
            return true
        }
    }

    /// Returns when the daemon has done all that was asked of it.
    ///
    /// Never in a handler. Throws `PipeWireError` when it does not answer within `timeout`, or is gone.
    package func synchronize(timeout: Duration = .seconds(2)) throws(PipeWireError) {
        guard let raw else { return }
        precondition(!pipewire_is_own_thread(raw), "waiting for PipeWire on the thread that serves it would never end")
        try withLock { () throws(PipeWireError) in
            if let failure { throw failure }
            guard !isClosed else { throw PipeWireError(.connectionLost, "the connection is closed") }
            let sequence = pipewire_sync(raw)
            pendingSyncs.insert(sequence)
            let deadline = ContinuousClock.now + timeout
            while pendingSyncs.contains(sequence) && failure == nil {
                let left = deadline - .now
                guard left > .zero else { break }
                pipewire_wait(raw, left.nanoseconds)
            }
            if let failure { throw failure }
            if pendingSyncs.remove(sequence) != nil {
                throw PipeWireError(.noAnswer, "PipeWire did not answer within \(timeout)")
            }
        }
    }

    // MARK: What the library tells, on its thread with the lock held

    func nodeAppeared(_ id: UInt32, isWritable: Bool, properties: [String: String]) {
        guard let raw, !isClosed, properties["media.class"] == StreamNode.mediaClass else { return }
        guard let serial = properties["object.serial"].flatMap({ UInt64($0) }), let bound = pipewire_bind(raw, id)
        else {
            return
        }
        entries[id] = Entry(
            node: StreamNode(id: id, serial: serial, isWritable: isWritable, properties: properties), raw: bound)
    }

    func nodeRemoved(_ id: UInt32) {
        guard !isClosed, let entry = entries.removeValue(forKey: id) else { return }
        pipewire_release(entry.raw)
        handlers.removed?(id)
    }

    func volumesChanged(_ id: UInt32, channel: [Float]?, soft: [Float]?, isMuted: Bool?) {
        guard !isClosed, var entry = entries[id] else { return }
        let before = entry.node
        if let channel { entry.node.channelVolumes = channel }
        if let soft { entry.node.softVolumes = soft }
        if let isMuted { entry.node.isMuted = isMuted }
        let node = entry.node
        let isConfirmed = entry.filter.confirms(node.softVolumes)
        entries[id] = entry
        // A stream has no volumes before its format is known.
        guard !node.channelVolumes.isEmpty else { return }
        let change: StreamNodeChange =
            if before.channelVolumes.isEmpty {
                .appeared
            } else if isConfirmed && before.channelVolumes == node.channelVolumes && before.isMuted == node.isMuted {
                .echo
            } else {
                .foreign
            }
        handlers.changed?(node, change)
    }

    func synchronized(_ sequence: Int32) {
        pendingSyncs.remove(sequence)
        if let raw { pipewire_signal(raw) }
    }

    func failed(_ message: String) {
        guard failure == nil, !isClosed, let raw else { return }
        let error = PipeWireError(.connectionLost, "the connection to PipeWire ended: \(message)")
        failure = error
        pipewire_set_timer(raw, 0)
        pipewire_signal(raw)
        handlers.lost?(error)
    }

    func ticked() {
        if !isClosed { handlers.tick?() }
    }
}
