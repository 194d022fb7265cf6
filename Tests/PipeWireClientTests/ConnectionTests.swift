import Foundation
import HeadlessServer
import PipeWireClient
import TestSupport
import Testing

extension ServerTests {
    @Suite struct ConnectionTests {
        @Test func knowsStreamsAndWhoChangesThem() async throws {
            try await withServer(.pipeWire) { server in
                let stream = try await ForeignStream.start(
                    on: server, role: "music", properties: ["media.name": "a song"])
                let connection = try PipeWireConnection(remote: server.pipeWireRemote)
                // The server lists a stream before it has a format, and with it volumes.
                try await waitUntil("the stream's volumes") {
                    try stream.requirePlaying()
                    return !connection.nodes.isEmpty
                }
                let changes = Journal<StreamNodeChange>()
                let removed = Journal<UInt32>()
                connection.setHandlers(changed: { changes.add($1) }, removed: { removed.add($0) })
                let node = try #require(connection.nodes.first)
                #expect(connection.nodes.count == 1)
                #expect(node.sinkInput.map(Int.init) == stream.index, "pipewire-pulse counts by serial")
                #expect(node.channelVolumes == [1, 1])
                #expect(node.isMuted == false)
                #expect(node.isWritable)
                #expect(node.properties["media.role"] == "Music")

                connection.setSoftVolumes([0.5, 0.5], ofNode: node.id)
                try await waitUntil("the echo") { changes.all.contains(.echo) }
                let told = changes.all.count
                try await Pactl(server).setVolume(0.5, sinkInput: stream.index)
                try await waitUntil("the user's change") { changes.all.dropFirst(told).contains(.foreign) }
                #expect(connection.node(node.id)?.channelVolumes.first.map { Double($0).rounded(to: 3) } == 0.125)
                #expect(connection.node(node.id)?.softVolumes.first.map { Double($0).rounded(to: 3) } == 0.5)

                try await stream.stop()
                try await waitUntil("the removal") { removed.all == [node.id] }
                #expect(connection.nodes.isEmpty)
                #expect(connection.setSoftVolumes([1], ofNode: node.id) == nil)
                let second = try await ForeignStream.start(on: server)
                try await waitUntil("the new stream") { changes.all.contains(.appeared) }
                try await second.stop()
            }
        }

        @Test func withoutDaemonIsSaid() async throws {
            let nobody = #expect(throws: PipeWireError.self) {
                try PipeWireConnection(remote: "/nonexistent/pipewire-0")
            }
            #expect(nobody?.reason == .noDaemon)
            try await withServer(.pulseAudio) { server in
                let error = #expect(throws: PipeWireError.self) {
                    try PipeWireConnection(remote: server.pipeWireRemote)
                }
                #expect(error?.reason == .noDaemon)
            }
        }

        @Test(.judges(.time(seconds: 1))) func frozenDaemonIsSaid() async throws {
            try await withServer(.pipeWire) { server in
                server.suspendProcess()
                defer { server.resumeProcess() }
                let start = ContinuousClock.now
                let error = #expect(throws: PipeWireError.self) {
                    try PipeWireConnection(remote: server.pipeWireRemote, timeout: .milliseconds(200))
                }
                #expect(error?.reason == .noAnswer)
                #expect(ContinuousClock.now - start < atOnce)
            }
        }

        @Test func threadsEndWithTheConnection() async throws {
            try await withServer(.pipeWire) { server in
                let before = try pipeWireThreads()
                for round in 0..<10 {
                    let connection = try PipeWireConnection(remote: server.pipeWireRemote)
                    connection.setHandlers(changed: { _, _ in })
                    #expect(try pipeWireThreads().count > before.count)
                    // The others end with their last reference.
                    if round.isMultiple(of: 2) { connection.close() }
                }
                #expect(try pipeWireThreads() == before)
            }
        }

        /// The last reference may die in a handler, on the thread that has to end then.
        @Test func lastReferenceMayDieInAHandler() async throws {
            try await withServer(.pipeWire) { server in
                let before = try pipeWireThreads()
                let ended = Journal<Bool>()
                let holder = Holder(try PipeWireConnection(remote: server.pipeWireRemote))
                holder.connection?.setHandlers(changed: { _, _ in
                    holder.connection = nil
                    ended.add(true)
                })
                let stream = try await ForeignStream.start(on: server)
                try await waitUntil("the handler") { !ended.all.isEmpty }
                try await waitUntil("the end of the thread") { try pipeWireThreads() == before }
                try await stream.stop()
            }
        }

        // SAFETY: written on the connection's thread after the test has stopped touching it.
        private final class Holder: @unchecked Sendable {
            var connection: PipeWireConnection?
            init(_ connection: PipeWireConnection) { self.connection = connection }
        }

        @Test func daemonsDeathIsTold() async throws {
            try await withServer(.pipeWire) { server in
                let before = try pipeWireThreads()
                let failures = Journal<PipeWireError>()
                let ducker = SoftVolumeDucker(remote: server.pipeWireRemote, failure: { failures.add($0) })
                let stream = try await ForeignStream.start(on: server, playing: Tone.content)
                let monitor = try await MonitorRecording.start(on: server)
                ducker.apply([UInt32(stream.index): 0.1])
                try await monitor.wait(forLevel: Tone.level - 20)
                server.kill()
                try await waitUntil("the news") { failures.all.map(\.reason) == [.connectionLost] }
                #expect(ducker.restoreAll(), "nothing is left to restore")
                #expect(try pipeWireThreads() == before)
                ducker.apply([UInt32(stream.index): 0.1])
                try await waitUntil("the second failure") {
                    failures.all.map(\.reason) == [.connectionLost, .noDaemon]
                }

                try await offPool { try server.restart() }
                let next = try await ForeignStream.start(on: server, playing: Tone.content)
                let nextMonitor = try await MonitorRecording.start(on: server)
                ducker.apply([UInt32(next.index): 0.1])
                try await nextMonitor.wait(forLevel: Tone.level - 20)
                ducker.close()
                try await nextMonitor.wait(forLevel: Tone.level, tolerance: 0.1)
                #expect(failures.all.count == 2)
            }
        }
    }
}
