import CSystemdBus
import Foundation
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@testable import DesktopBus

/// A question of a recording app to the desktop that is never answered, whatever comes in the answer's place.
///
/// The desktop is such that the permission is granted if that is taken for an answer: that there is no entry, or that
/// nobody can ask.
@Suite("Permission to record, without an answer", .limited)
struct SilentBusTests {
    /// A question that decides on the permission, in the words of `mock-bus`.
    enum Question: String, CaseIterable {
        case store, description, dialog

        /// The services that the desktop has.
        var services: [String] { self == .store ? ["store"] : ["store", "dialog"] }
        /// What the desktop prints when it is asked.
        var line: String {
            switch self {
            case .store: "Lookup"
            case .description: "Introspect"
            case .dialog: "AccessDialog"
            }
        }
    }

    @Test(
        "An error that says that nobody has answered allows nothing; that of one who cannot ask does",
        arguments: Question.allCases)
    func errors(question: Question) async throws {
        let bus = try await PrivateBus.start()
        let desktop = try await Desktop(on: bus, owning: question.services)
        func isSilent(after error: String) async throws -> Bool {
            try await desktop.order("fail \(question) \(error)")
            let client = bus.client
            let access = try await ask(question, on: client, of: desktop)
            try await desktop.ping(over: client)
            // The bus's list of backends, which takes two questions.
            for _ in 0..<2 { _ = await client.call(bus: "ListActivatableNames") }
            return access.isSilencing
        }
        for name in ["NoReply", "Timeout", "TimedOut", "Disconnected", "NoServer", "LimitsExceeded", "NoMemory"] {
            #expect(try await isSilent(after: "org.freedesktop.DBus.Error.\(name)"), "\(name)")
        }
        #expect(try await isSilent(after: "org.freedesktop.DBus.Error.UnknownMethod") == false)
    }

    @Test(
        "A bus that dies before the answer allows nothing, whatever error the library puts in its place",
        arguments: Question.allCases)
    func death(question: Question) async throws {
        let bus = try await PrivateBus.start()
        let desktop = try await Desktop(on: bus, owning: question.services)
        if question != .dialog { try await desktop.order("hold \(question)") }
        let client = SessionBus(address: bus.address) { newerLibrary }
        let access = try await ask(question, on: client, of: desktop)
        for _ in 0..<2 { _ = await client.call(bus: "ListActivatableNames") }
        try await bus.kill()
        // Answered after all earlier questions.
        _ = await client.call(bus: "GetId")
        #expect(access.isSilencing)
    }

    /// Brings about a question; returns when the desktop has it.
    private func ask(
        _ question: Question, on client: SessionBus, of desktop: Desktop
    ) async throws -> MicrophoneAccess {
        let times = desktop.count(of: question.line) + 1
        let access = MicrophoneAccess(bus: client, policy: UserPolicy())
        access.prepare()
        if question == .dialog { access.request { _ in } }
        try await waitUntil("\(question)", timeout: hangLimit) { desktop.count(of: question.line) >= times }
        return access
    }
}

extension SessionBus {
    /// Calls a method of the bus itself.
    fileprivate func call(bus method: String) async -> Answer {
        await call("org.freedesktop.DBus", path: "/", interface: "org.freedesktop.DBus", method: method)
    }
}

/// A desktop on a private bus.
private struct Desktop {
    let process: ChildProcess

    init(on bus: PrivateBus, owning services: [String]) async throws {
        process = try ChildProcess(
            "mock-bus", ["desktop"], environment: ["DBUS_SESSION_BUS_ADDRESS": bus.address], input: true)
        try await process.line(timeout: hangLimit) { $0 == "ready" }
        for service in services { try await order("own \(service)") }
    }

    func order(_ order: String) async throws {
        let first = process.outputLines.count
        try process.write(line: order)
        try await process.line(from: first, timeout: hangLimit) { $0 == "done \(order)" }
    }

    func count(of word: String) -> Int { process.outputLines.count { $0.hasPrefix(word) } }

    /// Returns when the desktop's earlier answers have come over a connection.
    func ping(over client: SessionBus) async throws {
        let store = "org.freedesktop.impl.portal.PermissionStore"
        let answer = await client.call(store, path: "/", interface: "org.freedesktop.DBus.Peer", method: "Ping")
        #expect(answer == .values([]))
    }
}

/// sd-bus as libsystemd 259 and later have it: what is pending when a connection fails has the error of the connection.
///
/// The tests that use it let no question time out, which has the error `NoReply` in all versions.
// SAFETY: written once, before its first use.
private nonisolated(unsafe) let newerLibrary: UnsafePointer<systemd_bus>? = {
    guard let library = systemd_bus_load() else { return nil }
    let newer = UnsafeMutablePointer<systemd_bus>.allocate(capacity: 1)
    newer.initialize(to: library.pointee)
    newer.pointee.message_get_error = { message in
        let error = systemd_bus_load()?.pointee.message_get_error(message)
        let isOfLibrary = error?.pointee.name.map { strcmp($0, "org.freedesktop.DBus.Error.NoReply") == 0 } ?? false
        return isOfLibrary ? UnsafePointer(errorOfConnection) : error
    }
    return UnsafePointer(newer)
}()

// SAFETY: written once, before its first use.
private nonisolated(unsafe) let errorOfConnection: UnsafeMutablePointer<sd_bus_error> = {
    let error = UnsafeMutablePointer<sd_bus_error>.allocate(capacity: 1)
    error.initialize(to: sd_bus_error(name: strdup("System.Error.ECONNRESET"), message: nil, _need_free: 0))
    return error
}()
