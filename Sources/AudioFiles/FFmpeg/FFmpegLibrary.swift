#if FFmpeg
    internal import CFFmpeg

    /// FFmpeg's libraries, loaded when the first file needs them.
    enum FFmpegLibrary {
        /// FFmpeg's functions; throws `.missingLibrary` if it is not installed in the version that this was built for.
        static func functions(path: String?) throws(AudioFileError) -> ffmpeg_functions {
            var culprit: UnsafePointer<CChar>?
            guard let functions = ffmpeg_load(&culprit) else {
                throw .missing(library: culprit.map { String(cString: $0) } ?? "FFmpeg", path: path)
            }
            return functions.pointee
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
        /// The error of every file that needs FFmpeg in a build without it.
        static func withoutFFmpeg(path: String?) -> AudioFileError {
            let message = "needs FFmpeg, and this program was built without FFmpeg (the package trait FFmpeg was off)"
            return AudioFileError(.missingLibrary, message, path: path)
        }
    }
#endif
