import HeadlessServer
import PulseClient
import SessionPolicy
import TestSupport

@testable import SoundHost

/// What a watch reported, in order.
typealias HostEvents = Journal<HostEvent>

extension Journal<HostEvent> {
    /// Waits until exactly so much has been reported.
    func wait(for expected: [HostEvent]) async throws {
        try await waitUntil("\(expected) instead of \(all)") { all == expected }
    }
}

/// A value that a watch asks for, with the main loop's lock held, for as long as it lives.
// SAFETY: only touched with the main loop's lock held.
final class Told<Value>: @unchecked Sendable {
    var value: Value
    init(_ value: Value) { self.value = value }
}

/// A watch for calls on a live directory.
// SAFETY: the watch is only touched with the main loop's lock held.
final class LiveCallWatch: @unchecked Sendable {
    let events = HostEvents()
    private let directory: LiveDirectory
    private let watch: ForeignCallWatch
    private let participants: Told<[Participant]>

    init(_ directory: LiveDirectory, policy: UserPolicy = .init(), participants: [Participant] = []) {
        let told = Told(participants)
        self.directory = directory
        self.participants = told
        watch = directory.read { [events] table in
            ForeignCallWatch(
                directory: table, policy: policy, participants: { told.value }, report: { events.add($0) })
        }
    }

    deinit { directory.read { _ in watch.stop() } }

    var blocksInput: InterruptionOrigin? { directory.read { _ in watch.blocksInput } }

    func set(participants: [Participant]) {
        directory.read { _ in
            self.participants.value = participants
            watch.participantsChanged()
        }
    }
}

/// Streams of this process, over the directory's own connection; tests that want them foreign name no participant.
extension LiveDirectory {
    /// A stream that plays silence.
    func playback(role: String? = nil, isCorked: Bool = false) async throws -> PlaybackStream {
        let properties: PropertyList = role.map { ["media.role": $0] } ?? [:]
        let stream = PlaybackStream(connection: connection, name: "test", spec: .test, properties: properties)
        await stream.setHandlers(
            request: { stream, wanted in
                _ = try? stream.write(wanted) { room in
                    room.initializeMemory(as: UInt8.self, repeating: 0)
                    return room.count
                }
            }, event: { _, _ in })
        try await stream.connect(flags: isCorked ? [.startCorked] : [])
        try await waitUntil("a stream that plays") { await stream.state == .ready }
        return stream
    }

    /// A stream that records.
    func capture(from source: String) async throws -> RecordStream {
        let stream = RecordStream(connection: connection, name: "test", spec: .test)
        try await stream.connect(to: source, attributes: BufferAttributes(fragmentSize: 4410))
        try await waitUntil("a stream that records") { await stream.state == .ready }
        return stream
    }
}

extension SampleSpec {
    /// The format of the test sinks.
    static let test = SampleSpec(format: .int16, rate: 44_100, channels: 2)
}
