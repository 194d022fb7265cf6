#if FFmpeg
    internal import CFFmpeg
    internal import Locks

    /// A tap on the bytes that FFmpeg reads of a stream, which ends MPEG-4 streams whose tables promise too many
    /// packets.
    ///
    /// ``MP4IndexSizeCheck`` sees files as a whole; of a stream it sees what FFmpeg has read so far, in any order.
    // SAFETY: FFmpeg calls back on the thread that calls it, and one at a time does; so does who makes and ends a watch.
    final class StreamWatch: FileBytes, @unchecked Sendable {
        typealias Bytes = UnsafeMutablePointer<AVIOContext>

        /// The most packets of a stream whose size is unknown: a day of AAC.
        private static let mostPackets = 1 << 22
        /// The most bytes that are kept; those that follow are not checked.
        private static let most = 32 << 20

        /// The active watches, by the opaque pointer of their context.
        private static let all = Guarded<[UInt: StreamWatch]>([:])

        private let context: Bytes
        private let original: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32)?
        /// The stream's size as the server reports it; practically infinite where it does not.
        let size: Int64
        private let isSizeKnown: Bool
        private var pieces: [(start: Int64, bytes: [UInt8])] = []
        private var kept = 0

        private init(_ context: Bytes, _ functions: ffmpeg_functions) {
            self.context = context
            original = context.pointee.read_packet
            let reported = functions.avio_seek(context, 0, AVSEEK_SIZE)
            isSizeKnown = reported > 0
            size = isSizeKnown ? reported : 1 << 60
        }

        /// Begins to watch a connection of which nothing was read yet.
        static func begin(_ context: Bytes, _ functions: ffmpeg_functions) {
            guard let data = context.pointee.opaque, context.pointee.read_packet != nil else { return }
            let watch = StreamWatch(context, functions)
            all.withLock { $0[UInt(bitPattern: data)] = watch }
            context.pointee.read_packet = { data, buffer, count in
                let watch = StreamWatch.all.withLock { $0[UInt(bitPattern: data)] }
                return watch?.read(data, buffer, count) ?? FFMPEG_INVALIDDATA
            }
        }

        /// Ends the watch of a connection, if there is one.
        static func end(_ context: Bytes) {
            let watch = all.withLock { $0.removeValue(forKey: UInt(bitPattern: context.pointee.opaque)) }
            if let watch { context.pointee.read_packet = watch.original }
        }

        private func read(
            _ data: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32
        ) -> Int32 {
            let place = context.pointee.pos
            let done = original?(data, buffer, count) ?? FFMPEG_INVALIDDATA
            guard done > 0, kept < Self.most else { return done }
            keep(UnsafeBufferPointer(start: buffer, count: Int(done)), at: place)
            return isCredible ? done : FFMPEG_INVALIDDATA
        }

        private var isCredible: Bool {
            let most = isSizeKnown ? min(size, Int64(Self.mostPackets)) : Int64(Self.mostPackets)
            return MP4IndexSizeCheck.isCredible(self, packets: most)
        }

        private func keep(_ bytes: UnsafeBufferPointer<UInt8>, at place: Int64) {
            kept += bytes.count
            if let last = pieces.last, last.start + Int64(last.bytes.count) == place {
                pieces[pieces.count - 1].bytes.append(contentsOf: bytes)
            } else {
                pieces.append((place, Array(bytes)))
            }
        }

        /// Up to `count` bytes from `offset`; fewer where FFmpeg has not seen what follows.
        func bytes(at offset: Int64, count: Int) -> [UInt8] {
            var result: [UInt8] = []
            while result.count < count {
                let place = offset + Int64(result.count)
                let piece = pieces.last { $0.start <= place && place < $0.start + Int64($0.bytes.count) }
                guard let piece else { break }
                let first = Int(place - piece.start)
                result += piece.bytes[first..<min(piece.bytes.count, first + count - result.count)]
            }
            return result
        }
    }
#endif
