#if FFmpeg
    internal import CFFmpeg
    internal import Locks

    /// A tap on what FFmpeg reads of a connection, which ends MPEG-4 streams whose tables promise too many packets, and
    /// tells the end of a body from a connection that broke off.
    ///
    /// ``MP4IndexSizeCheck`` sees files as a whole; of a stream it sees what FFmpeg has read so far, in any order.
    // SAFETY: FFmpeg calls back on the thread that calls it, and one at a time does; so does who makes and ends a watch.
    final class StreamWatch: FileBytes, @unchecked Sendable {
        /// An AVIOContext.
        typealias Bytes = OpaquePointer
        /// What FFmpeg is told in place of its own code where the connection ends; nil for what is no end.
        typealias Meaning = (_ code: Int32, _ isAfterLastChunk: Bool) -> Int32?

        /// The most packets of a stream whose size is unknown: a day of AAC.
        private static let mostPackets = 1 << 22
        /// The most bytes that are kept; those that follow are not checked.
        private static let most = 32 << 20

        /// The active watches, by the opaque pointer of their context.
        private static let all = Guarded<[UInt: StreamWatch]>([:])

        private let context: Bytes
        private let functions: ffmpeg_functions
        private let key: UInt
        private let original: ffmpeg_reader?
        /// The stream's size as the server reports it; practically infinite where it does not.
        let size: Int64
        private let isSizeKnown: Bool
        /// Whether the head of the answer told no length.
        private let isLengthUntold: Bool
        private let meaning: Meaning
        private var isAfterLastChunk = false
        /// The code that FFmpeg was told at the end of the body; nil before.
        private var told: Int32?
        private var pieces: [(start: Int64, bytes: [UInt8])] = []
        private var kept = 0
        private var isChecking = true

        private init(_ context: Bytes, _ key: UInt, _ functions: ffmpeg_functions, _ meaning: @escaping Meaning) {
            self.context = context
            self.functions = functions
            self.key = key
            self.meaning = meaning
            original = functions.io(context).read_packet
            let reported = functions.avio_seek(context, 0, FFMPEG_SEEK_SIZE)
            isLengthUntold = reported < 0
            isSizeKnown = reported > 0
            size = isSizeKnown ? reported : 1 << 60
        }

        /// Begins to watch a connection of which nothing was read yet; nil if nothing can be.
        ///
        /// It was opened with `AVIO_FLAG_NONBLOCK`, or FFmpeg does not show the last chunk. `meaning` is asked where a
        /// body without a length ends.
        static func begin(
            _ context: Bytes, _ functions: ffmpeg_functions, meaning: @escaping Meaning
        ) -> StreamWatch? {
            let io = functions.io(context)
            guard let data = io.opaque, io.read_packet != nil else { return nil }
            let watch = StreamWatch(context, UInt(bitPattern: data), functions, meaning)
            all.withLock { $0[watch.key] = watch }
            functions.io_set_reader(context) { data, buffer, count in
                let watch = StreamWatch.all.withLock { $0[UInt(bitPattern: data)] }
                return watch?.read(data, buffer, count) ?? FFMPEG_INVALIDDATA
            }
            return watch
        }

        /// Checks no tables any more, and forgets what was kept for that.
        func endChecks() {
            isChecking = false
            pieces = []
        }

        /// Ends the watch of a connection that is closed, or about to be.
        func end() {
            // Another connection may have got its place in memory.
            Self.all.withLock { if $0[key] === self { $0[key] = nil } }
        }

        private func read(
            _ data: UnsafeMutableRawPointer?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int32
        ) -> Int32 {
            let place = functions.io(context).pos
            var done = original?(data, buffer, count) ?? FFMPEG_INVALIDDATA
            // FFmpeg reads nothing once: at the last chunk of a body.
            if done == 0, count > 0 {
                isAfterLastChunk = true
                done = original?(data, buffer, count) ?? FFMPEG_INVALIDDATA
                if done == 0 { done = FFMPEG_EOF }
            }
            guard done > 0 else { return isLengthUntold ? endOfBody(done) : done }
            isAfterLastChunk = false
            told = nil
            guard isChecking, kept < Self.most else { return done }
            keep(UnsafeBufferPointer(start: buffer, count: Int(done)), at: place)
            return isCredible ? done : FFMPEG_INVALIDDATA
        }

        /// The code that FFmpeg is told; asked for once, as FFmpeg reads on behind an end.
        private func endOfBody(_ code: Int32) -> Int32 {
            told = told ?? meaning(code, isAfterLastChunk)
            return told ?? code
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
