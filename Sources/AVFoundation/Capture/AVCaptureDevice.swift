internal import AVFAudio
public import Foundation

/// Whether the app may capture sound, in the words of those that ask `AVCaptureDevice`.
///
/// It is the permission that `AVAudioApplication` tells, and nothing else of Apple's class: sound is recorded with
/// `AVAudioRecorder`. All members may be used from any thread.
///
/// Apple: `AVCaptureDevice`.
public final class AVCaptureDevice: NSObject, Sendable {
    private override init() {}

    /// Whether the app may capture a kind of media; `restricted` for everything but sound.
    ///
    /// The first use asks the desktop, see `AVAudioApplication.recordPermission`.
    ///
    /// Apple: `AVCaptureDevice.authorizationStatus(for:)`.
    public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        guard mediaType == .audio else { return .restricted }
        return AVAuthorizationStatus(AVAudioApplication.shared.recordPermission)
    }

    /// Asks the user whether the app may capture sound, if that has not been decided; says no for everything else.
    ///
    /// - Parameters:
    ///   - mediaType: The kind of media.
    ///   - handler: Told whether the app may; called once, on another thread.
    ///
    /// Apple: `AVCaptureDevice.requestAccess(for:completionHandler:)`.
    @preconcurrency
    public class func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        guard mediaType == .audio else { return DispatchQueue(label: "AVAudioApplication").async { handler(false) } }
        AVAudioApplication.requestRecordPermission(completionHandler: handler)
    }

    /// Asks the user whether the app may capture sound, if that has not been decided; returns whether it may.
    ///
    /// Apple: `AVCaptureDevice.requestAccess(for:)`.
    public class func requestAccess(for mediaType: AVMediaType) async -> Bool {
        await withCheckedContinuation { continuation in
            requestAccess(for: mediaType) { continuation.resume(returning: $0) }
        }
    }
}

extension AVAuthorizationStatus {
    init(_ permission: AVAudioApplication.recordPermission) {
        self =
            switch permission {
            case .undetermined: .notDetermined
            case .denied: .denied
            case .granted: .authorized
            }
    }
}
