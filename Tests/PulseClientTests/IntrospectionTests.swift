import Foundation
import HeadlessServer
import TestSupport
import Testing

@testable import PulseClient

@Suite(.limited) struct IntrospectionTests {
    private static let sinks = [
        HeadlessServer.NullSink(name: "first"), HeadlessServer.NullSink(name: "second", channels: 1),
    ]

    @Test(arguments: HeadlessServer.Kind.allCases)
    func devicesAreListed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind, sinks: Self.sinks) { server in
            let connection = try await connected(to: server)
            let info = try await connection.serverInfo()
            #expect(info.isPipeWire == (kind == .pipeWire))
            #expect(info.defaultSink == "first")
            #expect(!info.version.isEmpty && !info.userName.isEmpty && !info.hostName.isEmpty)
            #expect(info.spec?.isValid == true)

            let sinks = try await connection.sinks()
            #expect(sinks.map(\.name) == ["first", "second"])
            let second = try #require(sinks.last)
            #expect(second.spec?.channels == 1 && second.map.positions == [.mono] && second.spec?.rate == 44_100)
            #expect(second.volume.values.count == 1 && !second.isMuted && second.state != .unknown)
            #expect(second.monitorSource == "second.monitor")
            #expect(try await connection.sink(named: "second").index == second.index)
            #expect(try await connection.sink(at: second.index).name == "second")

            let sources = try await connection.sources()
            let monitor = try #require(sources.first { $0.name == "second.monitor" })
            #expect(monitor.monitorOf == "second")
            #expect(try await connection.source(named: "second.monitor").index == monitor.index)
            #expect(try await connection.source(at: monitor.index).name == monitor.name)
            #expect(try await connection.cards().isEmpty)
            #expect(try await connection.modules().isEmpty == false)
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func unknownObjectsAreErrors(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server)
            func expectNoEntity(_ body: () async throws -> some Any) async {
                let error = await #expect(throws: PulseError.self) { _ = try await body() }
                #expect(error?.code == .noSuchEntity)
            }
            await expectNoEntity { try await connection.sink(named: "none") }
            await expectNoEntity { try await connection.source(named: "none") }
            await expectNoEntity { try await connection.card(named: "none") }
            await expectNoEntity { try await connection.sinkInput(at: 99_999) }
            await expectNoEntity { try await connection.sourceOutput(at: 99_999) }
            await expectNoEntity { try await connection.client(at: 99_999) }
            await expectNoEntity { try await connection.module(at: 99_999) }
        }
    }

    /// What libpulse does when the server refuses to say what it is, or does not in time.
    @Test func noServerInfoIsAnError() {
        let table = RequestTable()
        var ends: [PulseError?] = []
        let request = PendingRequest("pa_context_get_server_info", in: table) { ends.append($0) }
        table.send(request, context: nil) { data in
            serverInfoAnswered(nil, info: nil, data: data)
            return nil
        }
        // Without a context nobody knows which; `nil` would mean that there is no such object.
        #expect(ends == [PulseError(.unknown, in: "pa_context_get_server_info")])
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func streamsAndClientsAreListed(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let connection = try await connected(to: server, name: "mixer")
            let foreign = try await ForeignStream.start(on: server, role: "phone", properties: ["test.key": "value"])
            let index = UInt32(foreign.index)
            let input = try await connection.sinkInput(at: index)
            #expect(try await connection.sinkInputs().map(\.index).contains(index))
            #expect(input.properties["media.role"] == "phone" && input.properties["test.key"] == "value")
            #expect(input.spec == .disc && input.hasVolume && input.isVolumeWritable && !input.isMuted)
            let sink = try await connection.sink(named: "test_out")
            try await waitUntil("a linked stream") { try await connection.sinkInput(at: index).sink == sink.index }
            let client = try await connection.client(at: try #require(input.client))
            #expect(client.properties["application.process.id"] == "\(foreign.process.processID)")
            #expect(try await connection.clients().contains { $0.name == "mixer" })

            let recording = try await MonitorRecording.start(on: server)
            let output = try #require(
                try await connection.sourceOutputs().first { $0.properties["media.role"] == "production" })
            #expect(try await connection.sourceOutput(at: output.index).index == output.index)
            #expect(output.spec == .disc)
            try await recording.stop()
            try await foreign.stop()
        }
    }

    @Test(arguments: HeadlessServer.Kind.allCases)
    func changesAreTold(kind: HeadlessServer.Kind) async throws {
        try await withServer(kind) { server in
            let events = Journal<SubscriptionEvent>()
            let connection = try await connected(to: server)
            await connection.setHandlers(event: { events.add($1) })
            try await connection.subscribe([.sinkInput, .client, .sink])
            let foreign = try await ForeignStream.start(on: server)
            let index = UInt32(foreign.index)
            try await events.wait(for: "new stream") {
                $0.facility == .sinkInput && $0.change == .new && $0.index == index
            }
            try await events.wait(for: "new client") { $0.facility == .client && $0.change == .new }
            events.removeAll()
            try await connection.setSinkInputMute(true, at: index)
            try await events.wait(for: "muted stream") {
                $0.facility == .sinkInput && $0.change == .change && $0.index == index
            }
            #expect(try await connection.sinkInput(at: index).isMuted)
            try await foreign.kill()
            try await events.wait(for: "removed stream") {
                $0.facility == .sinkInput && $0.change == .remove && $0.index == index
            }
        }
    }
}
