internal import Glibc
internal import SessionPolicy

extension ProcessTree {
    /// The tree of ancestors of processes on this machine.
    init(reading processes: [Int32]) {
        self.init(of: processes, parent: Self.parent(of:))
    }

    private static func parent(of process: Int32) -> Int32? {
        let file = open("/proc/\(process)/stat", O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return nil }
        defer { close(file) }
        var bytes = [UInt8](repeating: 0, count: 512)
        let count = read(file, &bytes, bytes.count)
        // The process ID, the name in parentheses (which can contain anything, parentheses too), the state, the parent.
        guard count > 0, let end = bytes[..<count].lastIndex(of: UInt8(ascii: ")")) else { return nil }
        let fields = bytes[(end + 1)..<count].split(separator: UInt8(ascii: " "))
        guard fields.count > 1 else { return nil }
        return Int32(String(decoding: fields[1], as: UTF8.self))
    }
}
