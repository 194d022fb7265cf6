package import SessionPolicy

/// Whether this app may record, by the user's settings and the desktop.
///
/// All members may be called on any thread; completions come on other threads.
package protocol MicrophonePermission: AnyObject, Sendable {
    /// The permission; waits for the desktop's first answer, for two seconds and a half at most, once.
    var permission: MicrophoneFacts.Permission { get }

    /// Has the desktop asked, without waiting, if that has not happened yet.
    func prepare()

    /// Asks the user where that has not been decided; `completion` is told whether the app may record.
    func request(_ completion: @escaping @Sendable (Bool) -> Void)
}
