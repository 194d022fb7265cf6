#if FFmpeg
    internal import CFFmpeg

    /// FFmpeg's libraries, loaded when the first file needs them.
    enum FFmpegLibrary {
        /// FFmpeg's functions; throws `.missingLibrary` if it is not installed in a version that this was built for.
        static func functions(path: String?) throws(AudioFileError) -> ffmpeg_functions {
            var missing = ""
            let functions = withUnsafeTemporaryAllocation(of: CChar.self, capacity: 256) { names in
                guard let room = names.baseAddress else { return UnsafePointer<ffmpeg_functions>?.none }
                let functions = ffmpeg_load(room, names.count)
                if functions == nil { missing = String(cString: room) }
                return functions
            }
            if let functions { return functions.pointee }
            throw .missing(libraries: missing.split(separator: " ").map(String.init), path: path)
        }

        /// The major versions of libavcodec that this build can load, from the newest on.
        static var majors: [Int32] { Array(sequence(state: 0) { next(&$0, ffmpeg_major_at) }) }

        /// The major versions of libavcodec that are installed and that this build cannot load.
        ///
        /// Slow: it tries names.
        static var foreignMajors: [Int32] {
            Array(
                sequence(state: Int32(0)) { last in
                    last = ffmpeg_foreign_major(last)
                    return last > 0 ? last : nil
                })
        }

        private static func next(_ index: inout Int32, _ major: (Int32) -> Int32) -> Int32? {
            defer { index += 1 }
            return major(index) > 0 ? major(index) : nil
        }
    }

    extension AudioFileError {
        /// An error that names the packages to install, one of which is enough, and the versions of FFmpeg that are there.
        ///
        /// Debian's packages are called as the file, less ".so.".
        static func missing(libraries: [String], path: String?) -> AudioFileError {
            let packages = libraries.map { $0.split(separator: ".so.").joined() }
            let advice = packages.count > 1 ? "one of the packages" : "the package"
            let foreign = FFmpegLibrary.foreignMajors.map(String.init)
            let lack =
                foreign.isEmpty
                ? "needs FFmpeg's \(alternatives(libraries))"
                : "needs FFmpeg with libavcodec \(alternatives(FFmpegLibrary.majors.map(String.init))), and not"
                    + " with libavcodec \(foreign.joined(separator: ", ")), which is installed"
            let message =
                "\(lack): install \(advice) \(alternatives(packages)), or build for the FFmpeg that is installed"
            return AudioFileError(.missingLibrary, message, path: path)
        }

        private static func alternatives(_ words: [String]) -> String {
            guard let last = words.last, words.count > 1 else { return words.first ?? "libraries" }
            return words.dropLast().joined(separator: ", ") + " or " + last
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
