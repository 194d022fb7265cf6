package import SessionPolicy

/// The app's permission to record, by the user's settings and the desktop's permission store.
///
/// All members may be called on any thread; completions are called on other threads.
package protocol MicrophonePermission: AnyObject, Sendable {
    /// The permission; waits for the desktop's first answer, until 2.5 s after the first question at most.
    ///
    /// In a call of an app the wait ends with the call's deadline.
    var permission: MicrophoneFacts.Permission { get }

    /// Asks the desktop, if that has not happened yet, and returns at once.
    func prepare()

    /// Whether captured sound must be replaced by silence; returns at once.
    var isSilencing: Bool { get }

    /// Calls `handler` whenever ``isSilencing`` may have changed, for the life of this object.
    func observe(_ handler: @escaping @Sendable () -> Void)

    /// Prepares for the beginning of a recording.
    ///
    /// Asks the user if that never happened, and says on stderr, once, that a recording is silent. Waits like
    /// ``permission``.
    func recordingBegins()

    /// Asks the user if the permission is not decided; `completion` is called with the result.
    func request(_ completion: @escaping @Sendable (Bool) -> Void)
}
