import AVFoundation

// An app with a camera screen asks for the microphone through AVCaptureDevice.
enum CaptureAuthorization {
    static func prepare(_ session: AVCaptureSession) async -> Bool {
        session.automaticallyConfiguresApplicationAudioSession = false
        switch AVCaptureDevice.authorizationStatus(for: .audio) {
        case .authorized: return true
        case .notDetermined: return await AVCaptureDevice.requestAccess(for: .audio)
        case .denied, .restricted: return false
        @unknown default: return false
        }
    }
}

extension CaptureAuthorization: Story {
    static func run(_ stage: Stage) async throws {
        let session = AVCaptureSession()
        stage.say("may \(await prepare(session)), by itself \(session.automaticallyConfiguresApplicationAudioSession)")
        stage.say("granted \(await AVCaptureDevice.requestAccess(for: .audio))")
    }
}
