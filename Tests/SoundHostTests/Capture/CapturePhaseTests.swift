import TestSupport
import Testing

@testable import SoundHost

private typealias Flow = CapturePhase.Flow

@Suite("The life cycle of a capture", .limited)
struct CapturePhaseTests {
    private static let lost = Flow(isLost: true)
    private static let flow = Flow(isLost: true, isAsleep: true, hasEnded: true)

    /// For each phase the events that lead somewhere, and where; all others lead nowhere.
    private static let table: [(CapturePhase, [CapturePhase.Event: CapturePhase])] = [
        (.paused, [.resume: .due(isLost: false), .close: .closed]),
        (
            .due(isLost: false),
            [
                .flow: .recording(Flow()), .pause: .paused, .lose: .due(isLost: true), .restore: .due(isLost: false),
                .close: .closed,
            ]
        ),
        (
            .due(isLost: true),
            [
                .flow: .recording(lost), .pause: .paused, .lose: .due(isLost: true), .restore: .due(isLost: false),
                .close: .closed,
            ]
        ),
        (
            .recording(Flow()),
            [
                .cork: .due(isLost: false), .pause: .paused, .finish: .lingering(Flow()), .drain: .draining(Flow()),
                .lose: .recording(lost), .restore: .recording(Flow()), .sleep: .recording(Flow(isAsleep: true)),
                .wake: .recording(Flow()), .end: .recording(Flow(hasEnded: true)), .close: .closed,
            ]
        ),
        (
            .recording(flow),
            [
                .cork: .due(isLost: false), .pause: .paused, .finish: .lingering(flow), .drain: .draining(flow),
                .lose: .recording(flow), .restore: .recording(Flow(isAsleep: true, hasEnded: true)),
                .sleep: .recording(flow), .wake: .recording(Flow(isLost: true, hasEnded: true)),
                .end: .recording(flow), .close: .closed,
            ]
        ),
        (
            .draining(Flow()),
            [
                .cork: .paused, .pause: .paused, .lose: .draining(lost), .restore: .draining(Flow()),
                .sleep: .draining(Flow(isAsleep: true)), .wake: .draining(Flow()),
                .end: .draining(Flow(hasEnded: true)), .close: .closed,
            ]
        ),
        (
            .lingering(flow),
            [
                .resume: .recording(Flow(isLost: true, isAsleep: true)), .cork: .paused, .pause: .paused,
                .lose: .lingering(flow), .restore: .lingering(Flow(isAsleep: true, hasEnded: true)),
                .sleep: .lingering(flow), .wake: .lingering(Flow(isLost: true, hasEnded: true)), .close: .closed,
            ]
        ),
        (.closed, [:]),
    ]

    @Test("Each event leads where the table says, and else nowhere", arguments: CapturePhase.Event.allCases)
    func transitions(event: CapturePhase.Event) {
        for (phase, rows) in Self.table {
            var next = phase
            let hasMoved = next.apply(event)
            #expect(hasMoved == (rows[event] != nil), "\(phase)")
            #expect(next == rows[event] ?? phase, "\(phase)")
        }
    }

    @Test("Each phase answers for itself whether frames are wanted, flow, and are still to come")
    func answers() {
        let phases = Self.table.map(\.0)
        #expect(phases.map(\.isRunning) == [false, true, true, true, true, false, false, false])
        #expect(phases.map(\.isFlowing) == [false, false, false, true, true, true, true, false])
        #expect(phases.map(\.isDraining) == [false, false, false, false, false, true, false, false])
        #expect(phases.map(\.isLost) == [false, false, true, false, true, false, true, false])
        #expect(phases.map(\.hasEnded) == [false, false, false, false, true, false, true, false])
        #expect(phases.map(\.isAsleep) == [false, false, false, false, true, false, true, false])
    }

    @Test("A capture that goes on while it lingers keeps what is known of its input; one that was corked does not")
    func goesOn() {
        var phase = CapturePhase.paused
        for event in [.resume, .flow, .lose, .end, .finish, .resume] as [CapturePhase.Event] { phase.apply(event) }
        #expect(phase == .recording(Self.lost))
        for event in [.cork, .flow] as [CapturePhase.Event] { phase.apply(event) }
        #expect(phase == .recording(Flow()))
    }
}
