internal import AVFAudio
public import Foundation

/// The permission to capture sound, for apps that query it through `AVCaptureDevice`.
///
/// The permission is that of `AVAudioApplication`; the rest of Apple's class is missing, as sound is recorded with
/// `AVAudioRecorder`. All members can be used from any thread.
///
/// Apple: `AVCaptureDevice`.
public final class AVCaptureDevice: NSObject, Sendable {
    private override init() {}

    /// The permission to capture a media type; `restricted` for all types but `audio`.
    ///
    /// The first use queries the desktop, see `AVAudioApplication.recordPermission`.
    ///
    /// Apple: `AVCaptureDevice.authorizationStatus(for:)`.
    public class func authorizationStatus(for mediaType: AVMediaType) -> AVAuthorizationStatus {
        guard mediaType == .audio else { return .restricted }
        return AVAuthorizationStatus(AVAudioApplication.shared.recordPermission)
    }

    /// Asks the user for the permission to capture sound, if it is undecided; other media types are refused.
    ///
    /// - Parameters:
    ///   - mediaType: The media type.
    ///   - handler: Called once with the result, on a background thread.
    ///
    /// Apple: `AVCaptureDevice.requestAccess(for:completionHandler:)`.
    @preconcurrency
    public class func requestAccess(
        for mediaType: AVMediaType, completionHandler handler: @escaping @Sendable (Bool) -> Void
    ) {
        guard mediaType == .audio else { return DispatchQueue(label: "AVAudioApplication").async { handler(false) } }
        AVAudioApplication.requestRecordPermission(completionHandler: handler)
    }

    /// Asks the user for the permission to capture sound, if it is undecided; returns whether it is granted.
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
