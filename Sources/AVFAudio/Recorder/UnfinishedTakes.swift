internal import AudioFiles
internal import AudioHost
internal import Foundation
internal import Glibc
internal import Locks
internal import Synchronization

/// A take, and the file that it was begun in.
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

    /// Whether its file got another name.
    fileprivate var isPutAside: Bool {
        get { putAside.load(ordering: .relaxed) }
        set { putAside.store(newValue, ordering: .relaxed) }
    }

    /// Whether the recorder was told to record: until then it is prepared, and no more.
    var hasBegun: Bool {
        get { begun.load(ordering: .relaxed) }
        set { begun.store(newValue, ordering: .relaxed) }
    }

    /// Whether it ended, or is about to end, without anybody stopping it.
    var isBrokenOff: Bool { broken.load(ordering: .relaxed) }

    /// It will end without anybody stopping it; never waits.
    func breakOff() { broken.store(true, ordering: .relaxed) }
}

/// The takes that are in files, of all recorders of this process: those that are recorded, and those that ended without
/// anybody stopping them.
///
/// A recorder whose server is gone records no more: often it is another one that begins the next take in the file.
final class UnfinishedTakes: Sendable {
    static let shared = UnfinishedTakes()

    private let takes = Guarded<[String: TakeMark]>([:])

    /// A take begins in a file, which is there.
    ///
    /// - Parameter giveUp: Asks the recorder to end the take where it has not begun to record, as another one wants the
    ///   file; called with nothing locked here.
    func begin(in url: URL, giveUp: @escaping @Sendable (TakeMark) -> Void) -> TakeMark {
        let mark = TakeMark(place: Self.place(of: url), giveUp: giveUp)
        takes.withLock { $0[mark.place] = mark }
        return mark
    }

    /// A take has ended, or is known only now not to be whole.
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

    /// A file is gone, or what led to it.
    func forgetMissing() {
        takes.withLock { $0 = $0.filter { Self.isFile($0.key) } }
    }

    /// Gives the file of a take that was broken off another name, so that a new take does not cost what there is.
    ///
    /// The old take may still be on its way into it, which a name is nothing to. A recorder that is merely prepared has
    /// nothing to lose, and lets go of the file. Throws where that cannot be done, and where another recorder has begun to
    /// record into it, and has not ended: two of them would spoil each other's.
    func keep(_ url: URL) throws(AudioFileError) {
        let place = Self.place(of: url)
        // Not with the lock, which the other recorder needs to let go. It cannot be waiting for the caller: whoever has a
        // take asks for no file.
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

    /// Where a file really is, whatever links lead there.
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
