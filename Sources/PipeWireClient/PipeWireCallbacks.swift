internal import CPipeWire
internal import Glibc

/// The context of libpipewire's callbacks: a weak reference to the connection.
// Set before the connection's thread starts; loading a weak reference is safe at any time.
final class WeakBox {
    weak var connection: PipeWireConnection?
}

/// The closing of a connection whose last reference was released on the connection's own thread.
// Handed from one thread to another, once.
final class Disposal {
    private let connection: OpaquePointer
    private let library: PipeWireLibrary
    private let box: WeakBox

    init(connection: OpaquePointer, library: PipeWireLibrary, box: WeakBox) {
        self.connection = connection
        self.library = library
        self.box = box
    }

    /// Closes the connection on a new thread; the connection leaks if no thread can be created.
    func runOnAThreadOfItsOwn() {
        var thread = pthread_t()
        let body: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { pointer in
            guard let pointer else { return nil }
            // SAFETY: balances `passRetained` below.
            let job = Unmanaged<Disposal>.fromOpaque(pointer).takeRetainedValue()
            pipewire_close(job.connection)
            // SAFETY: balances `passRetained` where the connection was opened.
            Unmanaged.passUnretained(job.box).release()
            return nil
        }
        // SAFETY: released by the thread.
        let pointer = Unmanaged.passRetained(self).toOpaque()
        if pthread_create(&thread, nil, body, pointer) == 0 { pthread_detach(thread) }
    }
}

/// The connection of a callback's context; nil while it is being deinitialized.
private func connection(_ context: UnsafeMutableRawPointer) -> PipeWireConnection? {
    // SAFETY: the box is released after the last callback.
    Unmanaged<WeakBox>.fromOpaque(context).takeUnretainedValue().connection
}

private func floats(_ values: UnsafePointer<Float>?, _ count: UInt32) -> [Float]? {
    values.map { Array(UnsafeBufferPointer(start: $0, count: Int(count))) }
}

let pipewireEvents = pipewire_events(
    node: { context, id, isWritable, properties, count in
        guard let connection = connection(context) else { return }
        var dictionary: [String: String] = [:]
        for property in UnsafeBufferPointer(start: properties, count: count) {
            dictionary[String(cString: property.key)] = String(cString: property.value)
        }
        connection.nodeAppeared(id, isWritable: isWritable, properties: dictionary)
    },
    removed: { connection($0)?.nodeRemoved($1) },
    volumes: { context, id, volumes in
        let volumes = volumes.pointee
        connection(context)?.volumesChanged(
            id, channel: floats(volumes.channel_volumes, volumes.channel_count),
            soft: floats(volumes.soft_volumes, volumes.soft_count),
            isMuted: volumes.mute < 0 ? nil : volumes.mute > 0)
    },
    done: { connection($0)?.synchronized($1) },
    error: { context, isFatal, _, message in
        // Other errors concern one request, such as a stream that has gone in the meantime.
        if isFatal { connection(context)?.failed(message.map { String(cString: $0) } ?? "no reason given") }
    },
    timer: { connection($0)?.ticked() })
