internal import AudioHost
internal import Dispatch
internal import Glibc
internal import Locks

/// The user's silent switch, for machines without a hardware switch: a file that exists while the switch is on.
///
/// The file is `$XDG_STATE_HOME/avaudiosession/silent`, or `~/.local/state/avaudiosession/silent`. It persists across
/// logins, like the switch of a phone. All members can be used on any thread.
package struct SilentSwitch: Hashable, Sendable {
    /// The path of the file; nil for a process without a home directory, whose switch is always off.
    package let path: String?

    /// The switch of this process's user.
    package static let current = SilentSwitch()

    /// The switch of a user.
    ///
    /// - Parameter variable: Returns the value of an environment variable.
    package init(variable: (String) -> String? = AppIdentity.environment) {
        if let folder = variable("XDG_STATE_HOME"), folder.hasPrefix("/") {
            path = folder + "/avaudiosession/silent"
        } else {
            path = variable("HOME").map { $0 + "/.local/state/avaudiosession/silent" }
        }
    }

    /// Whether the switch is on.
    package var isOn: Bool { path.map { access($0, F_OK) == 0 } ?? false }

    /// The reason why the switch cannot be changed.
    package struct Failure: Error, Hashable {
        /// The reason, as a text to display.
        package let reason: String
    }

    /// Turns the switch on or off; throws if the file cannot be created or removed.
    package func turn(on: Bool) throws(Failure) {
        guard let path else { throw Failure(reason: "there is no home") }
        if on {
            try Self.makeFolders(above: path)
            let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
            guard descriptor >= 0 else { throw Self.failure(errno) }
            close(descriptor)
        } else if isOn, unlink(path) != 0, errno != ENOENT {
            throw Self.failure(errno)
        }
    }

    private static func makeFolders(above path: String) throws(Failure) {
        var folder = ""
        for name in path.split(separator: "/").dropLast() {
            folder += "/" + name
            // Checked first: for a read-only folder `mkdir` fails with that error, not with EEXIST.
            guard access(folder, F_OK) != 0, mkdir(folder, 0o777) != 0, errno != EEXIST else { continue }
            throw failure(errno)
        }
    }

    private static func failure(_ code: Int32) -> Failure { Failure(reason: String(cString: strerror(code))) }
}

/// A watch over the user's silent switch, through inotify: a playing process does not have to poll.
package final class SilentSwitchWatch: Sendable {
    private let file: SilentSwitch
    private let handler: @Sendable (Bool) -> Void
    private let queue = DispatchQueue(label: "AVAudioSession.silent")
    private let source = Guarded<(any DispatchSourceRead)?>(nil)
    /// The watched folder: that of the file, or its deepest existing ancestor.
    private let watched = Guarded<(path: String, watch: Int32)?>(nil)

    /// Starts the watch; the handler is called on a private queue.
    package init(_ file: SilentSwitch, handler: @escaping @Sendable (Bool) -> Void) {
        self.file = file
        self.handler = handler
        guard file.path != nil else { return }
        let descriptor = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
        // Out of descriptors or watches: the switch is read when a process first plays, and not after that.
        guard descriptor >= 0 else { return }
        let source = DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: queue)
        source.setEventHandler { [weak self] in self?.happened(descriptor) }
        source.setCancelHandler { close(descriptor) }
        source.activate()
        self.source.withLock { $0 = source }
        queue.async { [weak self] in self?.look(descriptor) }
    }

    deinit { source.withLock { $0?.cancel() } }

    private func happened(_ descriptor: Int32) {
        var bytes = [UInt8](repeating: 0, count: 4096)
        while read(descriptor, &bytes, bytes.count) > 0 {}
        look(descriptor)
    }

    /// Watches the right folder, and reports the state of the switch.
    private func look(_ descriptor: Int32) {
        watched.withLock { look(descriptor, &$0) }
        handler(file.isOn)
    }

    private func look(_ descriptor: Int32, _ folder: inout (path: String, watch: Int32)?) {
        var isFirst = true
        // A folder created meanwhile is found in the next round. A folder that was recreated since has the same name as
        // the watched one, and only the kernel's event reveals it.
        while let deepest = deepestFolder, isFirst || deepest != folder?.path {
            let events = IN_CREATE | IN_DELETE | IN_MOVED_TO | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF
            let watch = inotify_add_watch(descriptor, deepest, UInt32(events) | UInt32(IN_ONLYDIR))
            if watch < 0, errno == ENOENT { continue }
            if let folder, folder.watch != watch { inotify_rm_watch(descriptor, folder.watch) }
            folder = watch >= 0 ? (deepest, watch) : nil
            if watch < 0 { break }
            isFirst = false
        }
    }

    private var deepestFolder: String? {
        var path = file.path?.split(separator: "/").map(String.init).dropLast() ?? []
        while !path.isEmpty {
            let folder = "/" + path.joined(separator: "/")
            if access(folder, R_OK) == 0 { return folder }
            path = path.dropLast()
        }
        return nil
    }
}
