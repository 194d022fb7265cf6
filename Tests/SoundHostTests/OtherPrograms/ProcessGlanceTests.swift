import Foundation
import SoundHost
import TestSupport
import Testing

@Suite("What the kernel says about a process", .limited)
struct ProcessGlanceTests {
    @Test("A name that was cut in the middle of a character is no obstacle")
    func cutName() async throws {
        await #expect(processExitsWith: .success) {
            // The kernel keeps 15 bytes, of which the last one is half of the é.
            let given = Data("fourteen bytesé".utf8)
            try #require(FileHandle(forWritingAtPath: "/proc/self/comm")).write(contentsOf: given)
            let name = try #require(FileManager.default.contents(atPath: "/proc/self/comm"))
            try #require(String(data: name, encoding: .utf8) == nil)
            let glance = try #require(ProcessGlance(getpid()))
            #expect(glance.parent == getppid())
        }
    }
}
