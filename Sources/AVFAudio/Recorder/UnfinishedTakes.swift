internal import AudioFiles
internal import AudioHost
internal import Foundation
internal import Glibc
internal import Locks
internal import Synchronization

/// The registration of a take in its file.
final class TakeMark: Sendable {
    fileprivate let place: String
    fileprivate let giveUp: @Sendable (TakeMark) -> Void
    private let putAside = Atomic<Bool>(false)
    private let begun = Atomic<Bool>(false)
    private let broken = Atomic<Bool>(false)

    fileprivate init(place: String, giveUp: @escaping @Sendable (TakeMark) -> Void) {
        self.place = place
        self.giveUp = giveUp
    }

    /// Whether the file was renamed.
    fileprivate var isPutAside: Bool {
        get { putAside.load(ordering: .relaxed) }
        set { putAside.store(newValue, ordering: .relaxed) }
    }

    /// Whether recording has begun; before, the recorder is merely prepared.
    var hasBegun: Bool {
        get { begun.load(ordering: .relaxed) }
        set { begun.store(newValue, ordering: .relaxed) }
    }

    /// Whether the take has ended, or is about to end, without a stop.
    var isBrokenOff: Bool { broken.load(ordering: .relaxed) }

    /// Notes that the take is about to end without a stop; never waits.
    func breakOff() { broken.store(true, ordering: .relaxed) }
}

/// The takes of all recorders of this process: those being recorded, and those that ended without a stop.
///
/// A recorder whose server is gone records no more, so often another one begins the next take in the same file.
final class UnfinishedTakes: Sendable {
    static let shared = UnfinishedTakes()

    private let takes = Guarded<[String: TakeMark]>([:])

    /// Registers a take that begins in an existing file.
    ///
    /// - Parameter giveUp: Asks the recorder to end a merely prepared take, because another recorder wants the file;
    ///   called without a lock.
    func begin(in url: URL, giveUp: @escaping @Sendable (TakeMark) -> Void) -> TakeMark {
        let mark = TakeMark(place: Self.place(of: url), giveUp: giveUp)
        takes.withLock { $0[mark.place] = mark }
        return mark
    }

    /// Notes the end of a take, or that an ended take turned out not to be whole.
    func end(_ mark: TakeMark, isUnfinished: Bool) {
        takes.withLock { takes in
            if isUnfinished {
                mark.breakOff()
                // In its file there may be another one by now.
                if !mark.isPutAside, takes[mark.place] == nil { takes[mark.place] = mark }
            } else if takes[mark.place] === mark {
                takes[mark.place] = nil
            }
        }
    }

    /// Forgets the takes whose files are gone, because a file or folder was deleted.
    func forgetMissing() {
        takes.withLock { $0 = $0.filter { Self.isFile($0.key) } }
    }

    /// Renames the file of a broken-off take, so that a new take does not overwrite it.
    ///
    /// The old take may still be written, which a new name does not disturb. A merely prepared recorder releases the
    /// file. Throws if the file cannot be renamed, and if another recorder records into it, because two recordings
    /// would spoil each other.
    func keep(_ url: URL) throws(AudioFileError) {
        let place = Self.place(of: url)
        // Without the lock, which the other recorder needs to let go. The other recorder cannot be waiting for this
        // one: a recorder with a take asks for no file.
        if let other = takes.withLock({ $0[place] }), !other.isBrokenOff { other.giveUp(other) }
        let obstacle: String? = takes.withLock { takes in
            guard let mark = takes[place], Self.isFile(place) || mark.isBrokenOff else { return nil }
            guard mark.isBrokenOff else { return "is being recorded into by another recorder, which has not stopped" }
            guard !Self.isFile(place) || Self.rename(place) else {
                return "holds a take that was broken off, and cannot be given another name"
            }
            mark.isPutAside = true
            takes[place] = nil
            return nil
        }
        if let obstacle { throw AudioFileError(.permission, obstacle, path: place) }
    }

    /// The real path of a file, with links resolved.
    private static func place(of url: URL) -> String {
        let path = url.filePath
        guard let place = realpath(path.pathForC, nil) else {
            return URL(fileURLWithPath: path).standardizedFileURL.path
        }
        defer { free(place) }
        return String(path: place)
    }

    private static func isFile(_ place: String) -> Bool {
        var status = stat()
        return lstat(place.pathForC, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
    }

    private static func rename(_ place: String) -> Bool {
        let url = URL(fileURLWithPath: place)
        let folder = url.deletingLastPathComponent()
        let name = url.deletingPathExtension().lastPathComponent
        let type = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
        let names = (1...999).lazy.map { name + ($0 == 1 ? " (unfinished)" : " (unfinished \($0))") + type }
        let paths = names.map { folder.appendingPathComponent($0).path.pathForC }
        let free = paths.first { access($0, F_OK) != 0 }
        return free.map { Glibc.rename(place.pathForC, $0) == 0 } ?? false
    }
}
