import SessionPolicy
import TestSupport
import Testing

@testable import AVFAudio

/// Errors are real `NSError` objects in Apple's domain.
@Suite("Errors", .limited)
struct VocabularyErrorTests {
    @Test("A refusal is caught as NSError, with its code and its sentence", arguments: SessionError.Code.allCases)
    func refusal(code: SessionError.Code) {
        func refuse() throws { throw NSError(SessionError(code, "No.")) }
        do {
            try refuse()
            Issue.record("nothing was thrown")
        } catch let error as NSError {
            #expect(error.domain == NSOSStatusErrorDomain)
            #expect(AVAudioSession.ErrorCode(rawValue: error.code)?.rawValue == code.rawValue)
            #expect(error.localizedDescription == "No.")
        }
    }

    @Test("A file's error has Apple's code, the path and the cause")
    func file() throws {
        let error = NSError(file: .io, message: "The disk is full.", path: "/tmp/a.wav", errno: ENOSPC)
        #expect(error.code == Int(kAudioFileUnspecifiedError))
        #expect(error.userInfo[NSFilePathErrorKey] as? String == "/tmp/a.wav")
        let cause = try #require(error.userInfo[NSUnderlyingErrorKey] as? NSError)
        #expect(cause.domain == NSPOSIXErrorDomain)
        #expect(cause.code == Int(ENOSPC))
        #expect(error.localizedDescription == "The disk is full.")
    }

    @Test("File failures are Apple's codes")
    func codes() {
        let expected: [AudioFileFailure: OSStatus] = [
            .notFound: kAudioFileFileNotFoundError, .permission: kAudioFilePermissionsError,
            .unknownType: kAudioFileUnsupportedFileTypeError, .malformed: kAudioFileInvalidFileError,
            .unsupportedEncoding: kAudioFileUnsupportedDataFormatError, .outOfRange: kAudioFilePositionError,
            .closed: kAudioFileNotOpenError, .io: kAudioFileUnspecifiedError,
        ]
        for failure in AudioFileFailure.allCases { #expect(failure.rawValue == expected[failure]) }
    }
}
