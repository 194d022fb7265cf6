internal import Foundation
internal import Glibc
internal import Locks

/// The file of the current picture, which other programs of the user can read while it is shown.
///
/// The file is locked while its owner lives. The next app thereby recognizes the files of killed processes, and removes
/// them.
// SAFETY: everything mutable is touched on `queue` only.
final class ArtworkFile: @unchecked Sendable {
    /// The largest file, in bytes; larger pictures are not shown.
    private static let limit = 16 << 20
    private static let prefix = "avfaudio-artwork-"
    /// The number of attempts to create a file.
    private static let tries = 5
    /// The size requested for a picture of unknown size, in points.
    private static let size = 512.0

    private let queue = DispatchQueue(label: "MediaPlayer.artwork", qos: .utility)
    private var current: (artwork: MPMediaItemArtwork, address: String?)?
    private var file: (path: String, descriptor: Int32)?
    private var isSwept = false

    /// Stores a picture in place of the previous one, and passes on its URL; nil without a picture.
    func store(_ artwork: MPMediaItemArtwork, _ completion: @escaping @Sendable (String?) -> Void) {
        queue.async { [self] in
            if let current, current.artwork === artwork { return completion(current.address) }
            let address = artwork.url.flatMap(NowPlayingItem.address) ?? write(artwork)
            // The previous file, if the new picture has its own URL or no data.
            if let file, address != URL(fileURLWithPath: file.path).absoluteString { drop() }
            current = (artwork, address)
            completion(address)
        }
    }

    /// Removes the picture, if there is one.
    func remove() {
        queue.async { [self] in
            current = nil
            drop()
        }
    }

    private func write(_ artwork: MPMediaItemArtwork) -> String? {
        let bounds = artwork.bounds.size
        let side = bounds.width > 0 && bounds.height > 0 ? bounds : CGSize(width: Self.size, height: Self.size)
        guard let data = artwork.image(at: side), !data.isEmpty, data.count <= Self.limit else { return nil }
        if let file, let old = try? Data(contentsOf: URL(fileURLWithPath: file.path)), old == data {
            return URL(fileURLWithPath: file.path).absoluteString
        }
        let folder = Self.folder
        sweep(folder)
        guard let (path, descriptor) = Self.lockedFile(in: folder, ending: Self.ending(of: data)) else { return nil }
        let written = data.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
        drop()
        guard written == data.count else {
            unlink(path)
            close(descriptor)
            return nil
        }
        file = (path, descriptor)
        pathToRemove.withLock { $0 = path }
        return URL(fileURLWithPath: path).absoluteString
    }

    /// Creates a locked file; nil if that fails.
    ///
    /// Another app's sweep may run between creation and locking: it takes the file for an abandoned one and removes it.
    /// Then another file is created.
    private static func lockedFile(in folder: String, ending: String) -> (path: String, descriptor: Int32)? {
        for _ in 0..<tries {
            var template = Array("\(folder)/\(prefix)XXXXXX\(ending)".utf8CString)
            let descriptor = mkstemps(&template, Int32(ending.utf8.count))
            guard descriptor >= 0 else { return nil }
            let path = template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } } ?? ""
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            let isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0
            // A file system without locks is not swept either.
            if isLocked || errno != EWOULDBLOCK, isFile(descriptor, at: path) { return (path, descriptor) }
            // No `unlink` here: the lock's holder is about to remove the file, and the name may belong to another file
            // by then.
            close(descriptor)
        }
        return nil
    }

    /// Whether a path still refers to the open file.
    private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
        var (opened, named) = (stat(), stat())
        guard fstat(descriptor, &opened) == 0, lstat(path, &named) == 0 else { return false }
        return opened.st_dev == named.st_dev && opened.st_ino == named.st_ino
    }

    private func drop() {
        guard let (path, descriptor) = file else { return }
        file = nil
        pathToRemove.withLock { $0 = nil }
        unlink(path)
        close(descriptor)
    }

    /// Removes the files of killed apps.
    private func sweep(_ folder: String) {
        guard !isSwept else { return }
        isSwept = true
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        for name in names where name.hasPrefix(Self.prefix) {
            let path = "\(folder)/\(name)"
            let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK)
            guard descriptor >= 0 else { continue }
            if flock(descriptor, LOCK_EX | LOCK_NB) == 0 { unlink(path) }
            close(descriptor)
        }
    }

    /// The folder for the user's runtime files; in a Flatpak, the one subfolder visible to other programs.
    private static var folder: String {
        let environment = ProcessInfo.processInfo.environment
        let runtime = environment["XDG_RUNTIME_DIR"] ?? ""
        let shared = environment["FLATPAK_ID"].map { "\(runtime)/app/\($0)" }
        let folders = [shared, runtime].compactMap(\.self)
        return folders.first { $0.hasPrefix("/") && access($0, W_OK) == 0 } ?? NSTemporaryDirectory()
    }

    /// The file name extension for the data: some programs only look at the name.
    private static func ending(of data: Data) -> String {
        let kinds: [(start: [UInt8], ending: String)] = [
            ([0x89, 0x50, 0x4e, 0x47], ".png"), ([0xff, 0xd8], ".jpg"), ([0x47, 0x49, 0x46], ".gif"),
            ([0x52, 0x49, 0x46, 0x46], ".webp"), ([0x42, 0x4d], ".bmp"), ([0x3c], ".svg"),
        ]
        return kinds.first { data.starts(with: $0.start) }?.ending ?? ".img"
    }
}

/// The path of the artwork file to remove when the process exits; nil without one.
private let pathToRemove: Guarded<String?> = {
    atexit { pathToRemove.value.map { _ = unlink($0) } }
    return Guarded(nil)
}()
