package import Foundation

/// A program that others wrote, run as a second opinion on our files where it is installed.
package struct ReferenceProgram: Sendable {
    package let url: URL

    /// Nil where no folder of `PATH` has it.
    package init?(_ name: String) {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin").split(separator: ":")
        let places = folders.map { URL(fileURLWithPath: "\($0)/\(name)") }
        guard let url = places.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
            return nil
        }
        self.url = url
    }

    /// Runs it to its end and gives what it wrote; throws what it says was wrong unless it succeeds.
    @discardableResult
    package func output(_ arguments: [String]) throws -> Data {
        // A file, because two pipes could each wait for the other to be read.
        guard let problems = tmpfile() else { throw SupportError("no temporary file") }
        defer { fclose(problems) }
        let errors = FileHandle(fileDescriptor: fileno(problems), closeOnDealloc: false)
        let process = Process()
        let output = Pipe()
        process.executableURL = url
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            try errors.seek(toOffset: 0)
            let text = String(decoding: try errors.readToEnd() ?? Data(), as: UTF8.self)
            throw SupportError("\(url.lastPathComponent) \(arguments): \(text)")
        }
        return data
    }
}
