import AVFoundation
import TestSupport
import Testing

/// What is left of capture on a system whose only captured medium is sound.
@Suite("Permission by way of AVCaptureDevice", .limited)
struct CaptureTests {
    @Test("It says of sound what AVAudioApplication says, and no to everything else")
    func permission() async {
        let expected: AVAuthorizationStatus =
            switch AVAudioApplication.shared.recordPermission {
            case .granted: .authorized
            case .denied: .denied
            case .undetermined: .notDetermined
            }
        #expect(AVCaptureDevice.authorizationStatus(for: .audio) == expected)
        #expect(AVCaptureDevice.authorizationStatus(for: .video) == .restricted)
        #expect(await AVCaptureDevice.requestAccess(for: .audio) == (expected == .authorized))
        #expect(await AVCaptureDevice.requestAccess(for: .video) == false)
        let answers = await withCheckedContinuation { continuation in
            AVCaptureDevice.requestAccess(for: .video) { continuation.resume(returning: $0) }
        }
        #expect(answers == false)
    }

    @Test("Values are Apple's")
    func rawValues() {
        #expect(AVMediaType.audio.rawValue == "soun" && AVMediaType.video.rawValue == "vide")
        #expect(
            [AVAuthorizationStatus.notDetermined, .restricted, .denied, .authorized].map(\.rawValue) == [0, 1, 2, 3])
        #expect(
            AVFileType.m4a.rawValue == "com.apple.m4a-audio"
                && AVFileType.wav == AVFileType("com.microsoft.waveform-audio"))
    }

    @available(*, deprecated, message: "It uses deprecated names on purpose.")
    @Test("Older spellings mean the same")
    func oldNames() async {
        #expect(AVCaptureDevice.authorizationStatus(forMediaType: AVMediaTypeVideo) == .restricted)
        let answer = await withCheckedContinuation { continuation in
            AVCaptureDevice.requestAccess(forMediaType: AVMediaTypeVideo) { continuation.resume(returning: $0) }
        }
        #expect(!answer && AVMediaTypeAudio == .audio && AVFileTypeWAVE == "com.microsoft.waveform-audio")
    }

    @Test("A capture session keeps what apps say of the audio session")
    func session() {
        let session = AVCaptureSession()
        #expect(session.usesApplicationAudioSession && session.automaticallyConfiguresApplicationAudioSession)
        session.automaticallyConfiguresApplicationAudioSession = false
        session.usesApplicationAudioSession = false
        #expect(!session.usesApplicationAudioSession && !session.automaticallyConfiguresApplicationAudioSession)
    }
}
