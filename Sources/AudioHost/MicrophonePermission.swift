package import SessionPolicy

/// Whether this app may record, by the user's settings and the desktop.
///
/// All members may be called on any thread; completions come on other threads.
package protocol MicrophonePermission: AnyObject, Sendable {
    /// The permission; waits for the desktop's first answer, for two seconds and a half at most, once.
    var permission: MicrophoneFacts.Permission { get }

    /// Has the desktop asked, without waiting, if that has not happened yet.
    func prepare()

    /// Whether what is captured has to be silence; waits for nothing.
    var isSilencing: Bool { get }

    /// Calls `handler` whenever ``isSilencing`` may have changed, for good.
    func observe(_ handler: @escaping @Sendable () -> Void)

    /// The app begins to record: asks the user if that was never done, and says once if the recording is silent.
    func recordingBegins()

    /// Asks the user where that has not been decided; `completion` is told whether the app may record.
    func request(_ completion: @escaping @Sendable (Bool) -> Void)
}
