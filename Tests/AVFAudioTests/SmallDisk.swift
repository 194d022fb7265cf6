import Foundation
import TestSupport

/// A file system in memory, of a fixed size.
struct SmallDisk {
    static var isPossible: Bool {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("disk-\(UUID().uuidString)")
        guard let disk = try? SmallDisk(at: folder, kilobytes: 64) else { return false }
        disk.unmount()
        try? FileManager.default.removeItem(at: folder)
        return true
    }

    let folder: URL

    init(at folder: URL, kilobytes: Int) throws {
        self.folder = folder
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=\(kilobytes)k") == 0 else {
            try FileManager.default.removeItem(at: folder)
            throw SupportError("cannot mount: \(String(cString: strerror(errno)))")
        }
    }

    func unmount() { umount2(folder.path, Int32(MNT_DETACH)) }
}
