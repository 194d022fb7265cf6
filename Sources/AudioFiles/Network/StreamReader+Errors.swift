#if FFmpeg
    internal import CFFmpeg
    internal import Glibc

    extension StreamReader {
        /// What FFmpeg's last code means; `url` is that of a stream that could not be opened.
        static func error(
            _ cause: AudioFileError?, _ network: FFmpegNetwork, _ cancellation: StreamCancellation, url: String?
        ) -> StreamError {
            if cancellation.isCancelled { return StreamError(.cancelled, "is not wanted any more") }
            if cause?.kind == .missingLibrary { return StreamError(.missingLibrary, cause?.message ?? "") }
            if network.hasTimedOut { return timedOut }
            // What a request met says more than what became of it.
            let code = network.lastRequestCode != 0 ? network.lastRequestCode : network.lastCode
            if let error = answer(code) ?? connection(code, url: url) { return error }
            if code == FFMPEG_DECODER_NOT_FOUND || cause?.kind == .unsupportedEncoding {
                return StreamError(.unsupportedEncoding, cause?.message ?? "holds an encoding that is not supported")
            }
            return StreamError(.malformed, cause?.message ?? "is damaged: its sound cannot be decoded")
        }

        /// What the code of a single request means.
        static func error(ofRequest code: Int32) -> StreamError {
            if code == FFMPEG_INVALIDDATA { return StreamError(.badResponse, "is not what the server gives") }
            return answer(code) ?? connection(code, url: nil) ?? StreamError(.connectionLost, "broke off")
        }

        private static var timedOut: StreamError { StreamError(.timedOut, "does not come: the server is silent") }

        /// What the server has answered.
        private static func answer(_ code: Int32) -> StreamError? {
            switch code {
            case FFMPEG_HTTP_NOT_FOUND: StreamError(.notFound, "is not on the server")
            case FFMPEG_HTTP_FORBIDDEN: StreamError(.forbidden, "is forbidden by the server")
            case FFMPEG_HTTP_UNAUTHORIZED:
                StreamError(.authenticationRequired, "is only for those whom the server knows")
            case FFMPEG_HTTP_BAD_REQUEST, FFMPEG_HTTP_OTHER_4XX, FFMPEG_HTTP_SERVER_ERROR:
                StreamError(.badResponse, "cannot be given by the server")
            case FFMPEG_EINVAL, FFMPEG_PROTOCOL_NOT_FOUND:
                StreamError(.badResponse, "leads to an address that is not one of HTTP")
            default: nil
            }
        }

        /// What happened to the connection.
        private static func connection(_ code: Int32, url: String?) -> StreamError? {
            switch code {
            case FFMPEG_ETIMEDOUT: return timedOut
            case FFmpegNetwork.untrusted:
                return StreamError(.untrusted, "cannot be had safely: the server's certificate is not trusted")
            case FFMPEG_ECONNREFUSED:
                return StreamError(.cannotConnect, "cannot be had: the server takes no connection")
            case FFMPEG_ENETUNREACH, FFMPEG_EHOSTUNREACH:
                return StreamError(.notConnected, "cannot be had: there is no way to the server")
            case FFMPEG_EIO:
                if let url, let host = URLAuthority(of: url)?.host, !isKnown(host) {
                    return StreamError(.cannotFindHost, "cannot be had: nobody knows the host \(host)")
                }
                return StreamError(.connectionLost, "broke off: the connection to the server is lost")
            case ..<0 where code > -200: return StreamError(.connectionLost, String(cString: strerror(-code)))
            default: return nil
            }
        }

        /// FFmpeg does not tell a name that nobody knows from a broken connection.
        private static func isKnown(_ host: String) -> Bool {
            var list: UnsafeMutablePointer<addrinfo>?
            defer { if let list { freeaddrinfo(list) } }
            return getaddrinfo(host, nil, nil, &list) == 0
        }
    }
#endif
