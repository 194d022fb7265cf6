internal import AudioFiles
internal import Foundation

extension NSError {
    /// The domain of the errors of buffers, files that are read and written, converters and engines.
    ///
    /// Apple: `com.apple.coreaudio.avfaudio`
    static let audioDomain = "com.apple.coreaudio.avfaudio"

    /// An error of the family's domain.
    ///
    /// - Parameters:
    ///   - status: The code.
    ///   - message: One sentence for people.
    static func audio(_ status: OSStatus, _ message: String) -> NSError {
        NSError(domain: audioDomain, code: Int(status), userInfo: [NSLocalizedDescriptionKey: message])
    }

    /// An error of a file that was being read or written, in the family's domain.
    ///
    /// The code, the path and the underlying error are those of ``audioFile(_:)``.
    static func audio(_ error: AudioFileError) -> NSError {
        let same = audioFile(error)
        return NSError(domain: audioDomain, code: same.code, userInfo: same.userInfo)
    }
}
