internal import AudioFiles
internal import Foundation
internal import Glibc

/// The files that hold a take which ended without anybody stopping it, of all recorders of this process.
///
/// A recorder whose server is gone records no more: often it is another one that begins the next take in the file.
// SAFETY: `places` is guarded by `lock`.
final class UnfinishedTakes: @unchecked Sendable {
    static let shared = UnfinishedTakes()

    private let lock = NSLock()
    private var places: Set<String> = []

    /// A take has ended in a file.
    func note(_ url: URL, isUnfinished: Bool) {
        let place = Self.place(of: url)
        lock.withLock { if isUnfinished { places.insert(place) } else { places.remove(place) } }
    }

    /// A file is gone, or what led to it.
    func forgetMissing() {
        lock.withLock { places = places.filter(Self.isFile) }
    }

    /// Gives the file of a take that was broken off another name, so that a new take does not cost what there is.
    func keep(_ url: URL) throws(AudioFileError) {
        let place = Self.place(of: url)
        let isKept = lock.withLock {
            guard places.contains(place) else { return true }
            guard !Self.isFile(place) || Self.rename(place) else { return false }
            places.remove(place)
            return true
        }
        guard isKept else {
            throw AudioFileError(
                .permission, "holds a take that was broken off, and cannot be given another name", path: place)
        }
    }

    /// Where a file really is, whatever links lead there.
    private static func place(of url: URL) -> String {
        guard let place = realpath(url.path, nil) else { return url.standardizedFileURL.path }
        defer { free(place) }
        return String(cString: place)
    }

    private static func isFile(_ place: String) -> Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: place)
        return attributes?[.type] as? FileAttributeType == .typeRegular
    }

    private static func rename(_ place: String) -> Bool {
        let url = URL(fileURLWithPath: place)
        let folder = url.deletingLastPathComponent()
        let name = url.deletingPathExtension().lastPathComponent
        let type = url.pathExtension.isEmpty ? "" : "." + url.pathExtension
        let names = (1...999).lazy.map { name + ($0 == 1 ? " (unfinished)" : " (unfinished \($0))") + type }
        let files = FileManager.default
        let free = names.map { folder.appendingPathComponent($0) }.first { !files.fileExists(atPath: $0.path) }
        return free.map { Glibc.rename(place, $0.path) == 0 } ?? false
    }
}
