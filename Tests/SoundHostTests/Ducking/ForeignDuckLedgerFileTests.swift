import Foundation
import HeadlessServer
import PulseClient
import SessionPolicy
import SoundHost
import TestSupport
import Testing

/// The file that all processes of a user share, and what else needs no stream to be tested.
@Suite(.limited) struct ForeignDuckLedgerFileTests {
    /// Gives `body` a directory that is gone afterwards.
    private func withDirectory(_ body: (String) async throws -> Void) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("ducking-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(at: folder) }
        try await body(folder.path)
    }

    @Test func noChangeIsLostAmongManyWriters() async throws {
        try await withDirectory { directory in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for writer in 0..<8 as Range<UInt32> {
                    group.addTask {
                        try await offPool {
                            let file = try #require(DuckLedgerFile(server: 7, directory: directory))
                            for number in 0..<20 as Range<UInt32> { enter(writer * 100 + number, in: file) }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let ledger = try #require(DuckLedgerFile(server: 7, directory: directory)?.load())
            #expect(ledger.entries.count == 160)
            #expect(ledger.revision == 160)
            #expect(DuckLedgerFile(server: 8, directory: directory)?.load() == nil)
        }
    }

    @Test func aLockThatIsNeverGivenBackCanBeBroken() async throws {
        try await withDirectory { directory in
            let file = try #require(DuckLedgerFile(server: 7, directory: directory))
            let ledger = DuckLedger(server: 7, owner: 1, revision: 1)
            let lock = open(directory + "/lock", O_RDWR | O_CREAT, 0o600)
            defer { close(lock) }
            #expect(flock(lock, LOCK_EX) == 0)
            #expect(file.commit(ledger, expecting: 0) == .busy)
            #expect(file.load() == nil)
            file.breakLock()
            #expect(file.commit(ledger, expecting: 0) == .done)
            #expect(file.commit(ledger, expecting: 0) == .outdated)
            #expect(file.load() == ledger)
        }
    }

    @Test func aDirectoryThatOthersMayWriteToIsRefused() async throws {
        try await withDirectory { directory in
            chmod(directory, 0o777)
            #expect(DuckLedgerFile(server: 7, directory: directory) == nil)
            chmod(directory, 0o700)
            let link = directory + "/link"
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: directory)
            #expect(DuckLedgerFile(server: 7, directory: link) == nil)
            try Data("1;server=7;owner=x".utf8).write(to: URL(fileURLWithPath: directory + "/ducked-7"))
            #expect(DuckLedgerFile(server: 7, directory: directory)?.load() == nil)
        }
    }

    @Test func aPolicyOfTheServersOwnIsSeen() async throws {
        for (module, isPresent) in [("module-role-ducking", true), ("module-role-cork", false)] {
            try await withServer(.pulseAudio, modules: [module]) { server in
                let connection = try PulseConnection(name: "observer")
                try await connection.connect(to: server.address, timeout: .seconds(5))
                let modules = try await connection.modules()
                #expect(DuckServerPolicy.isPresent(modules: modules) == isPresent)
            }
        }
    }
}

/// Adds an entry, as often as it takes.
private func enter(_ stream: UInt32, in file: DuckLedgerFile) {
    while true {
        let seen = file.load()
        var ledger = seen ?? DuckLedger(server: 7, owner: 1)
        ledger.enter(.released, for: stream)
        ledger.revision += 1
        if file.commit(ledger, expecting: seen?.revision ?? 0) == .done { return }
    }
}
