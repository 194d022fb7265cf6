#if FFmpeg
    internal import CFFmpeg
    internal import Foundation

    /// A tap on the bytes that FFmpeg reads of a stream, which ends MPEG-4 streams whose tables promise too many packets.
    ///
    /// ``MP4IndexSizeCheck`` sees files as a whole; of a stream it sees what FFmpeg has read so far, in any order.
    // SAFETY: FFmpeg calls back on the thread that calls it, and one at a time does; so does who makes and ends a watch.
    final class StreamWatch: FileBytes, @unchecked Sendable {
        typealias Bytes = UnsafeMutablePointer<AVIOContext>

        /// More than this many packets are nothing that is listened to: a day of AAC.
        private static let mostPackets = 1 << 22
        /// So many bytes are kept, and nothing is seen of what follows.
        private static let most = 32 << 20

        /// Those that there are, by what FFmpeg calls back with.
        // SAFETY: guarded by `lock`.
        nonisolated(unsafe) private static var all: [UInt: StreamWatch] = [:]
        private static let lock = NSLock()

        private let context: Bytes
        private let original: (@convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<UInt8>?, Int32) -> Int32)?
        /// What the server says; all of it, where it says nothing.
        let size: Int64
        private let isSizeKnown: Bool
        private var pieces: [(start: Int64, bytes: [UInt8])] = []
        private var kept = 0

        private init(_ context: Bytes, _ functions: ffmpeg_functions) {
            self.context = context
            original = context.pointee.read_packet
            let told = functions.avio_seek(context, 0, AVSEEK_SIZE)
            isSizeKnown = told > 0
            size = isSizeKnown ? told : 1 << 60
        }

        /// Begins to watch what is read of a connection on which nothing was yet.
        static func begin(_ context: Bytes, _ functions: ffmpeg_functions) {
            guard let data = context.pointee.opaque, context.pointee.read_packet != nil else { return }
            let watch = StreamWatch(context, functions)
            lock.withLock { all[UInt(bitPattern: data)] = watch }
            context.pointee.read_packet = { data, buffer, count in
                let watch = StreamWatch.lock.withLock { StreamWatch.all[UInt(bitPattern: data)] }
                return watch?.read(data, buffer, count) ?? FFMPEG_INVALIDDATA
            }
        }

        /// Ends that, if it is so.
        static func end(_ context: Bytes) {
            let watch = lock.withLock { all.removeValue(forKey: UInt(bitPattern: context.pointee.opaque)) }
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
