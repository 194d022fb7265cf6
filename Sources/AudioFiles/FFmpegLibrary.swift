#if FFmpeg
    internal import CFFmpeg

    /// FFmpeg's libraries: loaded by the first file that needs them, and never before.
    enum FFmpegLibrary {
        private enum Outcome {
            case loaded(ffmpeg_functions)
            case missing(String)
        }

        private static let outcome: Outcome = {
            var functions: ffmpeg_functions?
            var culprit: UnsafePointer<CChar>?
            var isFirst = false
            let status = withUnsafeTemporaryAllocation(of: ffmpeg_functions.self, capacity: 1) { table in
                guard let base = table.baseAddress else { return Int32(-1) }
                let status = ffmpeg_load(base, &culprit, &isFirst)
                if status == 0 { functions = base.pointee }
                return status
            }
            guard status == 0, let functions else { return .missing(culprit.map { String(cString: $0) } ?? "FFmpeg") }
            // A program that uses FFmpeg itself has its own idea of how much it says.
            if isFirst { functions.av_log_set_level(AV_LOG_QUIET) }
            return .loaded(functions)
        }()

        /// FFmpeg's functions; throws `.missingLibrary` if it is not installed in the version that this was built for.
        static func functions(path: String?) throws(AudioFileError) -> ffmpeg_functions {
            switch outcome {
            case .loaded(let functions): return functions
            case .missing(let library): throw .missing(library: library, path: path)
            }
        }
    }

    extension AudioFileError {
        /// An error that names the package to install: Debian's are called as the file, less ".so.".
        static func missing(library: String, path: String?) -> AudioFileError {
            let package = library.split(separator: ".so.").joined()
            let message =
                "needs FFmpeg's \(library): install the package \(package), or build for the FFmpeg that is installed"
            return AudioFileError(.missingLibrary, message, path: path)
        }

        /// An error that FFmpeg reports.
        static func ffmpeg(_ code: Int32, _ functions: ffmpeg_functions, path: String?) -> AudioFileError {
            if code == FFMPEG_EOF || code == FFMPEG_INVALIDDATA {
                return AudioFileError(.malformed, "is damaged: its sound cannot be decoded", path: path)
            }
            if code == FFMPEG_DECODER_NOT_FOUND {
                return AudioFileError(.unsupportedEncoding, "holds an encoding that FFmpeg cannot decode", path: path)
            }
            var text = [CChar](repeating: 0, count: 128)
            _ = functions.av_strerror(code, &text, text.count)
            let message = text.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
            return AudioFileError(.malformed, message, path: path)
        }
    }
#else
    extension AudioFileError {
        /// What every file that needs FFmpeg meets in a build without it.
        static func withoutFFmpeg(path: String?) -> AudioFileError {
            let message = "needs FFmpeg, and this program was built without FFmpeg (the package trait FFmpeg was off)"
            return AudioFileError(.missingLibrary, message, path: path)
        }
    }
#endif
