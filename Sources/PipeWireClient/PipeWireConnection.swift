internal import CPipeWire
internal import Glibc

/// A connection to PipeWire's daemon that tracks all playback streams and sets their soft volumes.
///
/// Handlers are called on the connection's own thread with its lock held; they must not block, and may call all members
/// but ``synchronize(timeout:)``. All members may be used on any thread. The connection ends with ``close()`` or the last
/// reference.
// SAFETY: `raw` is set in `init` only; everything else is guarded by the lock that it points to.
package final class PipeWireConnection: @unchecked Sendable {
    /// The event handlers of a connection.
    package struct Handlers {
        /// Called when a stream has appeared or its volumes were set.
        var changed: ((StreamNode, StreamNodeChange) -> Void)?
        /// Called with the registry ID of a stream that is gone.
        var removed: ((UInt32) -> Void)?
        /// Called once when the connection ends without ``close()``.
        var lost: ((PipeWireError) -> Void)?
        /// Called at the interval of ``setTicker(_:)``.
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
    private var seesNodes = false
    private var maySetNodes = false
    private var isClosed = false
    private var failure: PipeWireError?

    /// Connects, and blocks until the existing streams and their volumes are known.
    ///
    /// - Parameters:
    ///   - remote: A daemon's name or the path of its socket; nil for the one in `PIPEWIRE_REMOTE` and `XDG_RUNTIME_DIR`.
    ///   - library: The library, if it is loaded already.
    ///   - timeout: The limit for the daemon's answer.
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
        // SAFETY: the box outlives the connection, which `deinit` closes before it releases the box.
        raw = pipewire_open(self.library.raw, remote, &events, Unmanaged.passRetained(box).toOpaque(), &code)
        guard let raw else { throw PipeWireError(connecting: remote, errno: code) }
        guard pipewire_start(raw) else { throw PipeWireError(.failed(EAGAIN), "no thread for libpipewire") }
        // The first answer comes after the list of streams, the second after their volumes.
        try synchronize(timeout: timeout)
        try synchronize(timeout: timeout)
    }

    /// The path of the daemon's socket in a runtime directory, for ``init(remote:library:timeout:)``.
    package static func remote(inRuntimeDirectory directory: String) -> String { directory + "/pipewire-0" }

    deinit {
        // SAFETY: balances `passRetained` in `init`; no callback has the pointer after `pipewire_close`.
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

    /// Disconnects; no handler is called any more, and a second call does nothing.
    ///
    /// If called in a handler, the daemon sees the connection end only with the last reference.
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

    /// Runs `body` with the connection's lock held; may be nested.
    package func withLock<T, E: Error>(_ body: () throws(E) -> T) throws(E) -> T {
        guard let raw else { return try body() }
        pipewire_lock(raw)
        defer { pipewire_unlock(raw) }
        return try body()
    }

    /// Replaces the event handlers.
    ///
    /// - Parameters:
    ///   - changed: Called when a stream has appeared or its volumes were set, with the author of the change.
    ///   - removed: Called with the registry ID of a stream that is gone.
    ///   - lost: Called when the connection ends without ``close()``; at once, if it has ended already.
    ///   - tick: Called at the interval of ``setTicker(_:)``.
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

    /// Sets the interval of calls of the `tick` handler; nil stops them.
    package func setTicker(_ interval: Duration?) {
        withLock {
            guard let raw, !isClosed else { return }
            pipewire_set_timer(raw, interval?.nanoseconds ?? 0)
        }
    }

    // MARK: Streams

    /// Whether this client may change the streams of other programs: false where it sees nodes and may set none of them.
    ///
    /// A program in a Flatpak's sandbox may connect; the session manager as a rule gives it the right to read alone.
    package var mayChangeStreams: Bool { withLock { maySetNodes || !seesNodes } }

    /// The streams whose volumes are known.
    package var nodes: [StreamNode] {
        withLock { entries.values.map(\.node).filter { !$0.channelVolumes.isEmpty } }
    }

    /// The stream with a registry ID; nil if it is gone or its volumes are unknown.
    package func node(_ id: UInt32) -> StreamNode? { withLock { entries[id]?.node } }

    /// The number of unconfirmed changes of a stream.
    func unconfirmedChanges(ofNode id: UInt32) -> Int { withLock { entries[id]?.filter.unconfirmed ?? 0 } }

    /// Sets the soft volumes of a stream, one linear volume for each channel, which are heard instead of the user's volume.
    ///
    /// Mixers show, and servers remember, the user's volume; the user's mute stays in force. The soft volumes end with
    /// ``clearSoftVolumes(ofNode:)`` or any change by the user. **They outlive this process.**
    ///
    /// Returns the volumes that were sent, which differ from `volumes` by some millionths; nil if there is no such stream or
    /// this client may not change it.
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

    /// Clears the soft volumes of a stream, by whichever client they were set; harmless for a stream without any.
    ///
    /// Returns whether the request could be sent.
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

    /// Blocks until the daemon has carried out all requests.
    ///
    /// Must not be called in a handler. Throws `PipeWireError` if the daemon does not answer within `timeout`, or is gone.
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

    // MARK: Callbacks of the library, on its thread with the lock held

    func nodeAppeared(_ id: UInt32, isWritable: Bool, properties: [String: String]) {
        seesNodes = true
        if isWritable { maySetNodes = true }
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
