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
        // SAFETY: as `traffic`. What is open.
        nonisolated(unsafe) private var connections: [StreamWatch.Bytes: Connection] = [:]

        private struct Connection {
            /// The bytes that were counted.
            var counted: Int64 = 0
            let watch: StreamWatch?
        }

        init(url: String, limits: StreamLimits, cancellation: StreamCancellation) {
            self.url = url
            self.limits = limits
            self.cancellation = cancellation
        }

        // FFmpeg has closed what is left without telling.
        deinit { for connection in connections.values { connection.watch?.end() } }

        /// The highest bit rate of a playlist's variant, in bits a second; 0 for no limit.
        var peakBitRate: Double { limits.peakBitRate }

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
            for bytes in connections.keys { count(bytes) }
            defer { traffic = StreamTraffic() }
            return traffic
        }

        private func count(_ bytes: StreamWatch.Bytes) {
            guard let counted = connections[bytes]?.counted,
                let functions = try? FFmpegLibrary.functions(path: nil)
            else { return }
            let read = functions.io(bytes).bytes_read
            traffic.bytes += read - counted
            connections[bytes]?.counted = read
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
        func open(_ file: inout OpaquePointer?, _ functions: ffmpeg_functions) -> Int32 {
            file = functions.avformat_alloc_context()
            guard let context = file else { return FFMPEG_ENOMEM }
            var access = ffmpeg_network(
                interrupt: interruption,
                open: { context, result, url, flags, options in
                    guard let result, let url, let network = FFmpegNetwork.of(context) else { return FFMPEG_EINVAL }
                    return network.request(result, url, (flags, options))
                },
                close: { context, bytes in
                    guard let bytes, let functions = try? FFmpegLibrary.functions(path: nil) else { return 0 }
                    if let network = FFmpegNetwork.of(context) {
                        network.count(bytes)
                        network.connections.removeValue(forKey: bytes)?.watch?.end()
                    }
                    return functions.avio_close(bytes)
                },
                // Enough for all that is sound, and a radio is not waited for.
                probe_size: 64 * 1024, analyze_duration: 500_000)
            functions.container_set_network(context, &access)
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
            guard status >= 0, let context = file else { return status }
            defer { if let bytes = functions.container(context).io { connections[bytes]?.watch?.endChecks() } }
            return functions.avformat_find_stream_info(context, nil)
        }

        /// What FFmpeg asks whether it has to end.
        private var interruption: ffmpeg_interrupt {
            // SAFETY: unretained; who opens keeps this object for longer than the contexts that call back.
            let data = Unmanaged.passUnretained(self).toOpaque()
            return ffmpeg_interrupt(
                callback: { data in FFmpegNetwork.from(data)?.hasToEnd ?? true ? 1 : 0 }, opaque: data)
        }

        /// The object behind a callback's user data.
        private static func from(_ data: UnsafeMutableRawPointer?) -> FFmpegNetwork? {
            // SAFETY: see `interruption`.
            data.map { Unmanaged<FFmpegNetwork>.fromOpaque($0).takeUnretainedValue() }
        }

        /// The object that opened a container.
        private static func of(_ container: OpaquePointer?) -> FFmpegNetwork? {
            guard let container, let functions = try? FFmpegLibrary.functions(path: nil) else { return nil }
            return from(functions.container_opaque(container))
        }

        private typealias Result = UnsafeMutablePointer<OpaquePointer?>
        private typealias Options = UnsafeMutablePointer<OpaquePointer?>

        /// One request, for FFmpeg.
        private func request(
            _ result: Result, _ url: UnsafePointer<CChar>, _ wish: (flags: Int32, options: Options?)
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
                if let given = wish.options?.pointee, let value = functions.dictionary_value(given, key) {
                    _ = functions.av_dict_set(&options, key, value, 0)
                }
            }
            if isOfTheStreamsServer(address) {
                if let given = wish.options?.pointee, let value = functions.dictionary_value(given, "cookies"),
                    value.pointee != 0
                {
                    cookies = String(cString: value)
                }
                _ = functions.av_dict_set(&options, "cookies", cookies, 0)
            }
            defer { functions.av_dict_free(&options) }
            if let last = lists[String(cString: url)] {
                let age = Double(StreamCancellation.now - last) / 1e9
                guard age >= Self.look || rest(Self.look - age) else { return FFMPEG_EXIT }
            }
            var pause = 0
            while true {
                // Each takes out what it has understood.
                var copy: OpaquePointer?
                _ = functions.av_dict_copy(&copy, options, 0)
                // So a read ends at the last chunk of a body; what is below HTTP waits as ever.
                var status = functions.io_open(
                    result, address, wish.flags | FFMPEG_IO_NONBLOCK, interruption, &copy)
                functions.av_dict_free(&copy)
                if status == FFMPEG_EIO, isUntrusted(name, functions) { status = Self.untrusted }
                let isAwaited = isLive && lists[String(cString: url)] != nil
                if status >= 0, isAwaited, !Self.isPlaylist(result.pointee, functions) {
                    _ = functions.avio_close(result.pointee)
                    result.pointee = nil
                    status = FFMPEG_INVALIDDATA
                }
                requestCode.store(min(status, 0), ordering: .relaxed)
                note(status, String(cString: url), result.pointee, functions)
                // The list of a live stream: FFmpeg would end the stream.
                guard status < 0, isAwaited, rest(Double(pause)) else { return status }
                pause = min(2 * pause + 1, limits.reconnecting)
            }
        }

        private func isOfTheStreamsServer(_ address: String) -> Bool {
            URLAuthority(of: address)?.host == URLAuthority(of: url)?.host
        }

        private func note(
            _ status: Int32, _ name: String, _ bytes: OpaquePointer?,
            _ functions: ffmpeg_functions
        ) {
            if status >= 0 {
                traffic.requests += 1
                guard let bytes else { return }
                // FFmpeg takes any end of a playlist or a segment for the end.
                let isWhole = name == url && !isCalledList(name, bytes, functions)
                let watch = StreamWatch.begin(bytes, functions) { [weak self] code, isAfterLastChunk in
                    isWhole ? self?.codeOfEnd(code, isAfterLastChunk, of: bytes, functions) : nil
                }
                connections[bytes] = Connection(watch: watch)
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
            _ name: String, _ bytes: OpaquePointer, _ functions: ffmpeg_functions
        ) -> Bool {
            name == url || isCalledList(name, bytes, functions)
        }

        private func isCalledList(
            _ name: String, _ bytes: OpaquePointer, _ functions: ffmpeg_functions
        ) -> Bool {
            let path = name.prefix { !"?#".contains($0) }.lowercased()
            if path.hasSuffix(".m3u8") || path.hasSuffix(".m3u") { return true }
            return StreamReader.option("mime_type", of: bytes, functions)?.lowercased().contains("mpegurl") ?? false
        }

        /// Whether what a server gives begins as a playlist does, rather than as the page of a proxy in trouble.
        private static func isPlaylist(
            _ bytes: OpaquePointer?, _ functions: ffmpeg_functions
        ) -> Bool {
            let wanted = Array("#EXTM3U".utf8)
            var start = [UInt8](repeating: 0, count: wanted.count)
            guard let bytes, functions.avio_read(bytes, &start, Int32(start.count)) == start.count else { return false }
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
        private func isUntrusted(_ url: String, _ functions: ffmpeg_functions) -> Bool {
            guard url.hasPrefix("https://") || url.hasPrefix("crypto+https://"),
                let server = URLAuthority(of: url), !hasToEnd
            else { return false }
            func answer(_ settings: [(String, String)]) -> Int32 {
                var connection: OpaquePointer?
                defer { _ = functions.avio_close(connection) }
                return connect(&connection, "tls://" + server.place(defaultPort: 443), settings, functions)
            }
            let careless = settings.filter { !["tls_verify", "ca_file"].contains($0.0) } + [("tls_verify", "0")]
            return answer(settings) == FFMPEG_EIO && answer(careless) >= 0
        }

        /// Opens a connection below HTTP, over which nothing is sent yet; 0 or FFmpeg's code for what went wrong.
        private func connect(
            _ connection: inout OpaquePointer?, _ place: String, _ settings: [(String, String)],
            _ functions: ffmpeg_functions
        ) -> Int32 {
            var options: OpaquePointer?
            for (key, value) in settings { _ = functions.av_dict_set(&options, key, value, 0) }
            defer { functions.av_dict_free(&options) }
            return functions.io_open(&connection, place, FFMPEG_IO_READ_WRITE, interruption, &options)
        }

        // MARK: Ends

        /// What FFmpeg is told where the connection of a body without a length ends; nil for what is no end.
        private func codeOfEnd(
            _ code: Int32, _ isAfterLastChunk: Bool, of bytes: StreamWatch.Bytes, _ functions: ffmpeg_functions
        ) -> Int32? {
            guard let version = StreamReader.option("http_version", of: bytes, functions) else { return nil }
            let isRadio = StreamReader.option("icy_metadata_headers", of: bytes, functions) != nil
            let end = BodyEnd(
                code: code, isAfterLastChunk: isAfterLastChunk, httpVersion: version, isRadio: isRadio)
            switch end {
            case nil: return nil
            case .complete: return FFMPEG_EOF
            case .brokenOff: return FFMPEG_EIO
            case .completeUnlessChunked:
                let address = StreamReader.option("location", of: bytes, functions) ?? url
                return answerHead(of: address, functions)?.endsWithConnection == true ? FFMPEG_EOF : FFMPEG_EIO
            }
        }

        /// The head of what a server answers now to a request for an address; nil where it gives none.
        ///
        /// FFmpeg shows no heads. Where the user has set a proxy nothing is asked past it.
        private func answerHead(of address: String, _ functions: ffmpeg_functions) -> AnswerHead? {
            let isSecure = address.lowercased().hasPrefix("https://")
            guard isSecure || getenv("http_proxy") == nil, let server = URLAuthority(of: address),
                let request = AnswerHead.request(for: address, userAgent: limits.userAgent)
            else { return nil }
            let place = isSecure ? "tls://" + server.place(defaultPort: 443) : "tcp://" + server.place(defaultPort: 80)
            var connection: OpaquePointer?
            defer { _ = functions.avio_close(connection) }
            guard connect(&connection, place, settings, functions) >= 0, let connection else { return nil }
            functions.avio_write(connection, request, Int32(request.count))
            functions.avio_flush(connection)
            var (bytes, piece): ([UInt8], [UInt8]) = ([], [UInt8](repeating: 0, count: 4096))
            while bytes.count < AnswerHead.most {
                let count = functions.avio_read_partial(connection, &piece, Int32(piece.count))
                guard count > 0 else { return nil }
                bytes += piece.prefix(Int(count))
                if let head = AnswerHead(bytes) { return head }
            }
            return nil
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
