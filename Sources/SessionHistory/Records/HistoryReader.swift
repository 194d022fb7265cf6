internal import Foundation
internal import Glibc

/// The reader of a history.
package struct HistoryReader: Sendable {
    /// The events in the order in which they were written.
    package let events: [HistoryEvent]
    /// The number of lines that are none of a history, such as one that was torn.
    package let damagedLines: Int

    /// Reads a folder, also while a logger writes there; there are no events if it does not exist.
    ///
    /// A last line that is not ended yet is left out, and does not count as damaged.
    package init(_ folder: HistoryFolder) throws(HistoryError) {
        guard access(folder.path, F_OK) == 0 else {
            guard errno == ENOENT else { throw .system("cannot read", folder.path) }
            (events, damagedLines) = ([], 0)
            return
        }
        // Opened while nothing is renamed, so that no file is met twice and none is missed.
        let descriptors = try folder.withFiles { () throws(HistoryError) in
            var descriptors: [Int32] = []
            for path in folder.numbers.map(folder.file) + [folder.current] {
                let descriptor = open(path, O_RDONLY | O_CLOEXEC)
                if descriptor >= 0 {
                    descriptors.append(descriptor)
                } else if errno != ENOENT {
                    let error = HistoryError.system("cannot read", path)
                    descriptors.forEach { close($0) }
                    throw error
                }
            }
            return descriptors
        }
        var (events, damaged) = ([HistoryEvent](), 0)
        for descriptor in descriptors {
            let file = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
            for line in Self.lines(of: (try? file.readToEnd()) ?? Data()) {
                if let event = HistoryEvent(line: line) { events.append(event) } else { damaged += 1 }
            }
        }
        (self.events, damagedLines) = (events, damaged)
    }

    /// The first event of a file; nil if it has none.
    static func first(of path: String) -> HistoryEvent? {
        guard let file = FileHandle(forReadingAtPath: path), let data = try? file.read(upToCount: 65_536) else {
            return nil
        }
        return lines(of: data).lazy.compactMap { HistoryEvent(line: $0) }.first
    }

    /// The last event of a file; nil if it has none.
    static func last(of path: String) -> HistoryEvent? {
        guard let file = FileHandle(forReadingAtPath: path), let size = try? file.seekToEnd(),
            (try? file.seek(toOffset: size - min(size, 65_536))) != nil, let data = try? file.readToEnd()
        else { return nil }
        return lines(of: data).reversed().lazy.compactMap { HistoryEvent(line: $0) }.first
    }

    /// The ended lines that are not empty.
    private static func lines(of data: Data) -> [Data] {
        guard let end = data.lastIndex(of: UInt8(ascii: "\n")) else { return [] }
        return data[..<end].split(separator: UInt8(ascii: "\n"))
    }
}
