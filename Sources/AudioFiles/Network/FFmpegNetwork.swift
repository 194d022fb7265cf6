#if FFmpeg
    internal import CFFmpeg
    internal import Glibc
    internal import Synchronization

    /// FFmpeg's network access for one stream, limited to HTTP and to the stream's timeouts.
    ///
    /// Every request passes ``request(_:_:_:_:)``, those for the segments of a playlist too, so that no answer of a
    /// server makes FFmpeg open a file.
    final class FFmpegNetwork: Sendable {
        /// What may be spoken, one below the other.
        private static let protocols = "http,https,httpproxy,tcp,tls,crypto"
        /// What is read, segments of playlists included: no type but HLS that names other files, because FFmpeg does
        /// not ask us for those.
        private static let formats =
            "hls,aac,loas,mp3,mov,mpegts,mpeg,ogg,flac,wav,w64,aiff,au,caf,ac3,eac3,amr,amrnb,amrwb,matroska,asf,flv,"
            + "live_flv,avi,ape,wv,tta,mpc,mpc8,dts,dtshd,truehd,tak,oma,xwma,voc,webvtt"
        /// A playlist names its encrypted segments so.
        private static let schemes = ["http://", "https://", "crypto+http://", "crypto+https://"]

        /// A code beside FFmpeg's, which does not tell this from a broken connection.
        static let untrusted = -EKEYREJECTED

        /// Seconds between two looks at a playlist: FFmpeg takes as many as that says, and none if it says nothing.
        private static let look = 0.5

        private let url: String
        private let limits: StreamLimits
        private let cancellation: StreamCancellation
        /// When the present call has to end, in nanoseconds of the system's clock.
        private let deadline = Atomic<UInt64>(.max)
        private let isOverdue = Atomic<Bool>(false)
        private let code = Atomic<Int32>(0)
        private let requestCode = Atomic<Int32>(0)
        // SAFETY: FFmpeg calls back on the thread that calls it, and one at a time does; so does who takes this.
        nonisolated(unsafe) private var traffic = StreamTraffic()
        // SAFETY: as `traffic`. The playlists that were given, one a variant, and when: of a live stream these are asked
        // for again.
        nonisolated(unsafe) private var lists: [String: UInt64] = [:]
        // SAFETY: as `traffic`. What the stream's server wants to be told again: FFmpeg tells it anybody, and forgets it
        // with the first answer of somebody else.
        nonisolated(unsafe) private var cookies = ""
        // SAFETY: as `traffic`. Whether it is a playlist that grows.
        nonisolated(unsafe) var isLive = false
        // SAFETY: as `traffic`. What is open, and the bytes of it that were counted.
        nonisolated(unsafe) private var open: [UnsafeMutablePointer<AVIOContext>: Int64] = [:]

        init(url: String, limits: StreamLimits, cancellation: StreamCancellation) {
            self.url = url
            self.limits = limits
            self.cancellation = cancellation
        }

        /// FFmpeg's code for what ended the stream, 0 before that.
        var lastCode: Int32 {
            get { code.load(ordering: .relaxed) }
            set { code.store(newValue, ordering: .relaxed) }
        }

        /// FFmpeg's code for the latest request, 0 if it was answered.
        var lastRequestCode: Int32 { requestCode.load(ordering: .relaxed) }

        /// Whether a call was given up because it took too long.
        var hasTimedOut: Bool { isOverdue.load(ordering: .relaxed) }

        /// What was read since this was asked for last; on the reader's thread, while the stream is open.
        func takeTraffic() -> StreamTraffic {
            for bytes in open.keys { count(bytes) }
            defer { traffic = StreamTraffic() }
            return traffic
        }

        private func count(_ bytes: UnsafeMutablePointer<AVIOContext>) {
            guard let counted = open[bytes] else { return }
            traffic.bytes += bytes.pointee.bytes_read - counted
            open[bytes] = bytes.pointee.bytes_read
        }

        // MARK: Limits

        /// Gives what FFmpeg does from now on so much time.
        func allow(seconds: Double) {
            isOverdue.store(false, ordering: .relaxed)
            deadline.store(StreamCancellation.now &+ UInt64(seconds * 1e9), ordering: .relaxed)
        }

        private var hasToEnd: Bool {
            if cancellation.isCancelled { return true }
            guard StreamCancellation.now > deadline.load(ordering: .relaxed) else { return false }
            isOverdue.store(true, ordering: .relaxed)
            return true
        }

        // MARK: Opening

        /// Opens the stream and finds out what it contains; 0 or FFmpeg's code for what went wrong.
        func open(_ file: inout UnsafeMutablePointer<AVFormatContext>?, _ functions: ffmpeg_functions) -> Int32 {
            file = functions.avformat_alloc_context()
            guard let context = file else { return FFMPEG_ENOMEM }
            // SAFETY: unretained; who opens keeps this object for longer than the context that calls back.
            let data = Unmanaged.passUnretained(self).toOpaque()
            context.pointee.opaque = data
            context.pointee.interrupt_callback = AVIOInterruptCB(
                callback: { data in FFmpegNetwork.from(data)?.hasToEnd ?? true ? 1 : 0 }, opaque: data)
            context.pointee.io_open = { context, result, url, flags, options in
                guard let context, let url, let network = FFmpegNetwork.from(context.pointee.opaque) else {
                    return FFMPEG_EINVAL
                }
                return network.request(context, result, url, (flags, options))
            }
            context.pointee.io_close2 = { context, bytes in
                guard let context, let bytes, let functions = try? FFmpegLibrary.functions(path: nil) else { return 0 }
                if let network = FFmpegNetwork.from(context.pointee.opaque) {
                    network.count(bytes)
                    network.open[bytes] = nil
                }
                StreamWatch.end(bytes)
                return functions.avio_close(bytes)
            }
            // Enough for all that is sound, and a radio is not waited for.
            context.pointee.probesize = 64 * 1024
            context.pointee.max_analyze_duration = 500_000
            // MP3 is not read through for a seek.
            context.pointee.flags |= AVFMT_FLAG_FAST_SEEK
            var options: OpaquePointer?
            _ = functions.av_dict_set(&options, "http_persistent", "0", 0)
            _ = functions.av_dict_set(&options, "format_whitelist", Self.formats, 0)
            // A live playlist is waited for, and not only for some looks at it.
            for name in ["max_reload", "m3u8_hold_counters"] {
                _ = functions.av_dict_set(&options, name, "\(Int32.max)", 0)
            }
            allow(seconds: limits.opening)
            let status = functions.avformat_open_input(&file, url, nil, &options)
            functions.av_dict_free(&options)
            // The server has answered, with what is not on the list.
            if status == FFMPEG_EINVAL && lastRequestCode == 0 { return FFMPEG_INVALIDDATA }
            guard status >= 0, file != nil else { return status }
            defer { if let bytes = file?.pointee.pb { StreamWatch.end(bytes) } }
            return functions.avformat_find_stream_info(file, nil)
        }

        /// The object behind a callback's user data.
        private static func from(_ data: UnsafeMutableRawPointer?) -> FFmpegNetwork? {
            // SAFETY: see `open`.
            data.map { Unmanaged<FFmpegNetwork>.fromOpaque($0).takeUnretainedValue() }
        }

        private typealias Result = UnsafeMutablePointer<UnsafeMutablePointer<AVIOContext>?>
        private typealias Options = UnsafeMutablePointer<OpaquePointer?>

        /// One request, for FFmpeg.
        private func request(
            _ context: UnsafeMutablePointer<AVFormatContext>, _ result: Result?, _ url: UnsafePointer<CChar>,
            _ wish: (flags: Int32, options: Options?)
        ) -> Int32 {
            guard let functions = try? FFmpegLibrary.functions(path: nil) else { return FFMPEG_EINVAL }
            let name = String(cString: url).lowercased()
            guard Self.schemes.contains(where: name.hasPrefix) else {
                requestCode.store(FFMPEG_PROTOCOL_NOT_FOUND, ordering: .relaxed)
                return FFMPEG_PROTOCOL_NOT_FOUND
            }
            // FFmpeg knows its protocols by small letters only.
            let address = String(name.prefix { $0 != ":" }) + String(cString: url).drop { $0 != ":" }
            var options: OpaquePointer?
            for (key, value) in settings { _ = functions.av_dict_set(&options, key, value, 0) }
            // A playlist asks for parts of files.
            for key in ["offset", "end_offset", "key", "iv"] {
                if let given = wish.options?.pointee, let value = functions.av_dict_get(given, key, nil, 0) {
                    _ = functions.av_dict_set(&options, key, value.pointee.value, 0)
                }
            }
            if isOfTheStreamsServer(address) {
                if let given = wish.options?.pointee, let value = functions.av_dict_get(given, "cookies", nil, 0),
                    value.pointee.value.pointee != 0
                {
                    cookies = String(cString: value.pointee.value)
                }
                _ = functions.av_dict_set(&options, "cookies", cookies, 0)
            }
            defer { functions.av_dict_free(&options) }
            let interrupt = context.pointee.interrupt_callback
            if let last = lists[String(cString: url)] {
                let age = Double(StreamCancellation.now - last) / 1e9
                guard age >= Self.look || rest(Self.look - age) else { return FFMPEG_EXIT }
            }
            var pause = 0
            while true {
                // Each takes out what it has understood.
                var copy: OpaquePointer?
                _ = functions.av_dict_copy(&copy, options, 0)
                var status = withUnsafePointer(to: interrupt) {
                    functions.avio_open2(result, address, wish.flags, $0, &copy)
                }
                functions.av_dict_free(&copy)
                if status == FFMPEG_EIO, isUntrusted(name, interrupt, functions) { status = Self.untrusted }
                let isAwaited = isLive && lists[String(cString: url)] != nil
                if status >= 0, isAwaited, let result, !Self.isPlaylist(result.pointee, functions) {
                    _ = functions.avio_close(result.pointee)
                    result.pointee = nil
                    status = FFMPEG_INVALIDDATA
                }
                requestCode.store(min(status, 0), ordering: .relaxed)
                note(status, String(cString: url), result?.pointee, functions)
                // The list of a live stream: FFmpeg would end the stream.
                guard status < 0, isAwaited, rest(Double(pause)) else { return status }
                pause = min(2 * pause + 1, limits.reconnecting)
            }
        }

        private func isOfTheStreamsServer(_ address: String) -> Bool {
            URLAuthority(of: address)?.host == URLAuthority(of: url)?.host
        }

        private func note(
            _ status: Int32, _ name: String, _ bytes: UnsafeMutablePointer<AVIOContext>?,
            _ functions: ffmpeg_functions
        ) {
            if status >= 0 {
                traffic.requests += 1
                guard let bytes else { return }
                open[bytes] = 0
                StreamWatch.begin(bytes, functions)
                if isList(name, bytes, functions) { lists[name] = StreamCancellation.now }
            } else if (name != url || isLive) && !hasToEnd {
                // What becomes of the stream's own address is told by who reads it.
                traffic.failures.append(.init(url: name, error: StreamReader.error(ofRequest: status)))
            }
        }

        /// Whether it is a playlist, by its name or by what the server says of it.
        ///
        /// That something was given before does not tell: encoders give segments the names of old ones.
        private func isList(
            _ name: String, _ bytes: UnsafeMutablePointer<AVIOContext>, _ functions: ffmpeg_functions
        ) -> Bool {
            let path = name.prefix { !"?#".contains($0) }.lowercased()
            if name == url || path.hasSuffix(".m3u8") || path.hasSuffix(".m3u") { return true }
            return StreamReader.option("mime_type", of: bytes, functions)?.lowercased().contains("mpegurl") ?? false
        }

        /// Whether what a server gives begins as a playlist does, rather than as the page of a proxy in trouble.
        private static func isPlaylist(
            _ bytes: UnsafeMutablePointer<AVIOContext>?, _ functions: ffmpeg_functions
        ) -> Bool {
            let wanted = Array("#EXTM3U".utf8)
            var start = [UInt8](repeating: 0, count: wanted.count)
            guard functions.avio_read(bytes, &start, Int32(start.count)) == start.count else { return false }
            // As near as this it goes back in what is buffered.
            return start == wanted && functions.avio_seek(bytes, 0, SEEK_SET) == 0
        }

        /// False if the call has to end meanwhile.
        private func rest(_ seconds: Double) -> Bool {
            let end = StreamCancellation.now + UInt64(seconds * 1e9)
            while !hasToEnd, StreamCancellation.now < end { usleep(50_000) }
            return !hasToEnd
        }

        /// Whether a server is reached only by who takes any certificate; nothing is sent over these connections.
        ///
        /// Both have to be tried: FFmpeg's code is that of redirects without end and of connections that broke off,
        /// too.
        private func isUntrusted(
            _ url: String, _ interrupt: AVIOInterruptCB, _ functions: ffmpeg_functions
        ) -> Bool {
            guard url.hasPrefix("https://") || url.hasPrefix("crypto+https://"),
                let server = URLAuthority(of: url), !hasToEnd
            else { return false }
            let place = server.place(defaultPort: 443)
            func connect(_ settings: [(String, String)]) -> Int32 {
                var options: OpaquePointer?
                for (key, value) in settings { _ = functions.av_dict_set(&options, key, value, 0) }
                defer { functions.av_dict_free(&options) }
                var connection: UnsafeMutablePointer<AVIOContext>?
                defer { _ = functions.avio_close(connection) }
                return withUnsafePointer(to: interrupt) {
                    functions.avio_open2(&connection, "tls://\(place)", AVIO_FLAG_READ_WRITE, $0, &options)
                }
            }
            let careless = settings.filter { !["tls_verify", "ca_file"].contains($0.0) } + [("tls_verify", "0")]
            return connect(settings) == FFMPEG_EIO && connect(careless) >= 0
        }

        private var settings: [(String, String)] {
            (limits.certificates.map { [("ca_file", $0)] } ?? []) + [
                ("protocol_whitelist", Self.protocols),
                ("rw_timeout", "\(Int(limits.silence * 1e6))"),
                ("user_agent", limits.userAgent),
                ("tls_verify", "1"),
                // What breaks off is asked for from there on.
                ("reconnect", "1"),
                ("reconnect_delay_max", "\(limits.reconnecting)"),
            ]
        }
    }
#endif
