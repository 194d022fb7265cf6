package import HeadlessServer

/// A sound card without hardware on a private PipeWire server, whose headphones can be plugged in and pulled out.
///
/// It is a process of its own, `fake-card`, which is killed with the last reference. Commands may be sent from any
/// task, one at a time. The server's session manager reacts to them when it gets to it: wait for what it does.
package final class FakeCard: Sendable {
    /// What kind of card it is.
    package enum Model: String, CaseIterable, Sendable {
        /// A PC's speakers, headset jack, internal microphone and HDMI output.
        case pci
        /// A graphics card's HDMI output, with no monitor at the start, so without a node.
        case hdmi
        /// A USB headset.
        case usb
        /// A Bluetooth headset, in the profile for music at the start.
        case bt
        /// A phone's earpiece and speaker, a sink each, and its front and rear microphones; the front one has two polar
        /// patterns.
        case phone
    }

    /// Whether something is plugged in, as far as the card can tell.
    package enum Availability: String, Sendable {
        case yes, no, unknown
    }

    /// The card's process.
    package let process: ChildProcess
    /// What kind of card it is.
    package let model: Model

    /// Plugs in a card and returns when the server has it and the nodes of its profile.
    ///
    /// - Parameters:
    ///   - server: One of PipeWire; PulseAudio takes no cards from its clients.
    ///   - name: Its part in the names of the card and its nodes; nil for the model's own.
    package static func start(
        _ model: Model, on server: HeadlessServer, name: String? = nil
    ) async throws -> FakeCard {
        guard server.kind == .pipeWire else { throw SupportError("a fake card needs a PipeWire server") }
        // It is a client of PipeWire with its plug-ins, which may be unpacked like the server.
        let process = try ChildProcess(
            "fake-card", [model.rawValue] + (name.map { [$0] } ?? []), environment: server.toolEnvironment, input: true)
        let card = FakeCard(process, model)
        try await card.waitForCard(from: 0)
        return card
    }

    private init(_ process: ChildProcess, _ model: Model) {
        self.process = process
        self.model = model
    }

    /// The names of the sinks and sources of its current profile; none while it is unplugged.
    package var nodeNames: [String] {
        let lines = texts
        guard let last = lines.lastIndex(where: { Self.nodeCount($0) != nil || $0 == "unplugged" }) else { return [] }
        return lines[last...].compactMap { Self.nodeName($0) }
    }

    // MARK: Commands

    /// Plugs headphones in, or pulls them out; only ``Model/pci`` has a jack.
    package func jack(in isIn: Bool) async throws {
        try await send("jack \(isIn ? "in" : "out")")
    }

    /// Changes whether ports are available, all at once, by their names.
    package func setAvailability(_ ports: [String: Availability]) async throws {
        let changes = ports.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.rawValue)" }
        try await send("avail \(changes.joined(separator: " "))")
    }

    /// Changes the profile as the card would by itself, and returns when the server has its nodes.
    package func setProfile(_ name: String) async throws {
        let first = try await send("profile \(name)")
        try await waitForNodes(from: first)
    }

    /// Selects a port as the card would by itself.
    package func selectPort(_ name: String) async throws {
        try await send("route \(name)")
    }

    /// Pulls the whole card out.
    package func unplug() async throws {
        try await send("unplug")
    }

    /// Plugs the whole card in again, and returns when the server has it and the nodes of its profile.
    package func plug() async throws {
        let first = try await send("plug")
        try await waitForCard(from: first)
    }

    /// Ends it in good order, and returns when its process is gone.
    package func quit() async throws {
        try process.write(line: "quit")
        let exit = try await process.wait()
        guard exit.status == 0 else { throw SupportError("fake-card ended: \(texts.suffix(3)) \(process.errorText)") }
    }

    /// Sends a command and returns the number of the first line since; throws if the card could not do it.
    @discardableResult
    private func send(_ command: String) async throws -> Int {
        let first = process.outputLines.count
        try process.write(line: command)
        let done = "done \(command.prefix(while: { $0 != " " }))"
        let answer = try await process.line(from: first, timeout: hangLimit) { line in
            let text = Self.text(line)
            return text == done || text.hasPrefix("error ")
        }
        guard Self.text(answer.text) == done else { throw SupportError("fake-card: \(command): \(answer.text)") }
        return first
    }

    // MARK: What it says

    /// Waits until the server has the card, and the nodes of its profile.
    private func waitForCard(from first: Int) async throws {
        let ready = try await process.line(from: first, timeout: hangLimit) { line in
            let text = Self.text(line)
            return text.hasPrefix("card ") && text.contains(" ready ")
        }
        try await waitForNodes(from: ready.number)
    }

    /// Waits until the server has the nodes of the last profile that was told since; no time if none was.
    private func waitForNodes(from first: Int) async throws {
        do {
            try await waitUntil("the card's nodes", timeout: hangLimit) {
                let isOver = process.exit != nil
                let since = texts.dropFirst(first)
                guard let last = since.lastIndex(where: { Self.nodeCount($0) != nil }) else { return true }
                let count = Self.nodeCount(since[last]) ?? 0
                let hasAll = since[last...].count { Self.nodeName($0) != nil } >= count
                if !hasAll && isOver { throw SupportError("fake-card has ended") }
                return hasAll
            }
        } catch {
            throw SupportError("\(error); it printed \(process.outputLines) and \(process.errorText)")
        }
    }

    /// The lines so far, without their times.
    private var texts: [String] { process.outputLines.map { Self.text($0) } }

    private static func text(_ line: String) -> String {
        String(line.drop { $0 != " " }.dropFirst())
    }

    /// The number of nodes to come, where a line tells of a new profile.
    private static func nodeCount(_ text: String) -> Int? {
        value(of: "nodes", in: text).flatMap { Int($0) }
    }

    /// The node's name, where a line tells that the server has it.
    private static func nodeName(_ text: String) -> String? {
        guard text.hasPrefix("node "), text.contains(" bound ") else { return nil }
        return value(of: "name", in: text)
    }

    private static func value(of key: String, in text: String) -> String? {
        text.split(separator: " ").first { $0.hasPrefix(key + "=") }.map { String($0.dropFirst(key.count + 1)) }
    }
}
