import SessionPolicy
import TestSupport
import Testing

/// A table as an object, because `#expect` calls nothing that mutates a value.
private final class Table {
    private var value = ClaimTable()

    /// A table that has asked about these clients once, and knows that they have no claim.
    init(of clients: UInt32...) {
        for client in clients {
            #expect(changed(client, at: 0) == .now)
            asked(client)
            #expect(!answered(client))
        }
    }

    func changed(_ client: UInt32, at time: Double) -> ClaimTable.Inquiry { value.changed(client, at: time) }
    func due(_ client: UInt32, at time: Double) -> ClaimTable.Inquiry { value.due(client, at: time) }
    func inquiry(about client: UInt32, at time: Double) -> ClaimTable.Inquiry { value.inquiry(about: client, at: time) }
    func asked(_ client: UInt32) { value.asked(client) }

    @discardableResult
    func answered(_ client: UInt32, _ text: String? = nil) -> Bool {
        value.answered(client, text: text, name: "one")
    }

    func removed(_ client: UInt32) -> Bool { value.removed(client) }
    func setOwn(_ client: UInt32) { value.own = client }
    func raiseBarrier() -> [UInt32] { value.raiseBarrier() }
    func lowerBarrier() { value.lowerBarrier() }
    var isBarrierReached: Bool { value.isBarrierReached }
    var rows: [UInt32: ClaimTable.Row] { value.rows }
    var claims: [Claim] { value.claims }
    func participants(stopped: Set<UInt32> = []) -> [Participant] { value.participants(stopped: stopped) }
}

@Suite("The table of claims", .limited)
struct ClaimTableTests {
    private static let claim = Claim(uid: 7).activating(with: .music, ticket: 3)

    @Test("One question per client is under way at a time; what changes meanwhile is asked about afterwards, once")
    func oneQuestion() {
        let table = Table()
        #expect(table.changed(1, at: 0) == .now)
        table.asked(1)
        #expect(table.changed(1, at: 0) == .never)
        #expect(table.changed(1, at: 0) == .never)
        #expect(table.inquiry(about: 1, at: 0) == .never)
        #expect(table.changed(2, at: 0) == .now, "the other client waits for nobody")
        #expect(!table.answered(1))
        #expect(table.inquiry(about: 1, at: 0) == .now)
        table.asked(1)
        #expect(!table.answered(1))
        #expect(table.inquiry(about: 1, at: 0) == .never, "both changes are covered")
    }

    @Test("News are a claim that came, changed or went, not another text of the same claim")
    func news() {
        let table = Table(of: 1)
        func answer(_ text: String?) -> Bool {
            _ = table.changed(1, at: 100)
            table.asked(1)
            return table.answered(1, text)
        }
        #expect(answer(Self.claim.encoded))
        #expect(table.participants().map(\.claim) == [Self.claim])
        #expect(table.rows[1]?.name == "one")
        #expect(!answer(Self.claim.encoded))
        #expect(!answer(Self.claim.encoded + ";later=word"))
        #expect(answer("1;seq=12"), "an invalid claim is as good as none")
        #expect(table.participants().isEmpty)
        #expect(table.rows[1]?.text == "1;seq=12")
        #expect(!answer(String(repeating: "x", count: 4096)))
        #expect(!answer(nil))
        #expect(answer(Self.claim.idle(notify: true).encoded))
        #expect(table.claims.map(\.state) == [.idle])
    }

    @Test("Whoever is stopped is marked so, and nobody else")
    func stopped() {
        let table = Table(of: 1, 2)
        for client: UInt32 in [1, 2] {
            _ = table.changed(client, at: 1)
            table.asked(client)
            table.answered(client, Self.claim.encoded)
        }
        let stopped = table.participants(stopped: [2, 9]).filter(\.isStopped)
        #expect(stopped.map(\.id) == [2])
    }

    // MARK: Those that change all the time

    /// Announces changes of client 1 at a rate, answers at once, and returns how many questions that takes.
    private static func questions(perSecond rate: Int, seconds: Int) -> Int {
        let table = Table()
        var questions = 0
        var due: Double?
        func follow(_ inquiry: ClaimTable.Inquiry, at time: Double) {
            switch inquiry {
            case .never: return
            case .later(let delay):
                #expect(due == nil, "planned twice")
                due = time + delay
            case .now:
                questions += 1
                table.asked(1)
                table.answered(1, "\(questions)")
                follow(table.inquiry(about: 1, at: time), at: time)
            }
        }
        for step in 0..<rate * seconds {
            let time = Double(step) / Double(rate)
            if let moment = due, moment <= time {
                due = nil
                follow(table.due(1, at: moment), at: moment)
            }
            follow(table.changed(1, at: time), at: time)
        }
        if let moment = due {
            due = nil
            follow(table.due(1, at: moment), at: moment)
        }
        #expect(table.inquiry(about: 1, at: 1e9) == .never, "the last change has been asked about")
        return questions
    }

    @Test("A client that changes a thousand times a second is asked about twenty times a second, and the last is known")
    func flooder() {
        let questions = Self.questions(perSecond: 1000, seconds: 10)
        #expect((200...221).contains(questions), "\(questions) questions")
    }

    @Test("A client that changes ten times a second is asked about each time")
    func ordinaryClient() {
        #expect(Self.questions(perSecond: 10, seconds: 10) == 100)
    }

    @Test("A clock that stands still does not make questions free, nor does one that jumps make more than the burst")
    func clock() {
        let table = Table(of: 1)
        var asked = 0
        func change(at time: Double) -> ClaimTable.Inquiry {
            let inquiry = table.changed(1, at: time)
            if inquiry == .now {
                asked += 1
                table.asked(1)
                table.answered(1)
            }
            return inquiry
        }
        while change(at: 0) == .now { #expect(asked < 100) }
        #expect(asked == 19, "twenty with the first one")
        #expect(table.due(1, at: 1e9) == .now)
        table.asked(1)
        table.answered(1)
        asked = 0
        while change(at: 1e9) == .now { #expect(asked < 100) }
        #expect(asked == 19)
    }

    // MARK: The barrier

    @Test("Without changes a barrier is reached at once, and one that was not raised never")
    func emptyBarrier() {
        let table = Table(of: 1, 2)
        #expect(!table.isBarrierReached)
        #expect(table.raiseBarrier().isEmpty)
        #expect(table.isBarrierReached)
        table.lowerBarrier()
        #expect(!table.isBarrierReached)
    }

    @Test("A barrier waits for the answers to all that was announced before it, not after")
    func barrier() {
        let table = Table(of: 1, 2, 3)
        #expect(table.changed(1, at: 9) == .now)
        table.asked(1)
        #expect(table.changed(2, at: 9) == .now)
        table.asked(2)
        #expect(table.raiseBarrier().isEmpty, "both have been asked")
        #expect(table.changed(3, at: 9) == .now)
        table.asked(3)
        table.answered(1)
        #expect(!table.isBarrierReached)
        table.answered(2)
        #expect(table.isBarrierReached, "3 came later")
    }

    @Test("A change behind a question that is under way needs a question of its own, at once, whatever the budget says")
    func barrierBehindQuestion() {
        let table = Table(of: 1)
        while table.changed(1, at: 0) == .now {
            table.asked(1)
            table.answered(1)
        }
        #expect(table.due(1, at: 0.05) == .now)
        table.asked(1)
        #expect(table.changed(1, at: 0.05) == .never)
        #expect(table.raiseBarrier().isEmpty, "the client is being asked")
        table.answered(1)
        #expect(!table.isBarrierReached, "the answer is older than the change")
        #expect(table.inquiry(about: 1, at: 0.05) == .now, "a decision waits for it")
        table.asked(1)
        table.answered(1)
        #expect(table.isBarrierReached)
    }

    @Test("A barrier asks at once about a flooder whose question was put off, and one answer settles it")
    func barrierAgainstFlooder() {
        let table = Table(of: 1)
        while table.changed(1, at: 0) == .now {
            table.asked(1)
            table.answered(1)
        }
        #expect(table.raiseBarrier() == [1])
        table.asked(1)
        for _ in 0..<50 { #expect(table.changed(1, at: 0) == .never) }
        table.answered(1, Self.claim.encoded)
        #expect(table.isBarrierReached, "what it goes on to say came later")
        #expect(table.inquiry(about: 1, at: 0) == .never, "and is asked about when its time has come")
        #expect(table.due(1, at: 0.06) == .now)
    }

    @Test("Our own client has no budget, because its echo is waited for, and no decision waits for its later changes")
    func own() {
        let table = Table(of: 1, 2)
        table.setOwn(1)
        for _ in 0..<100 {
            #expect(table.changed(1, at: 0) == .now)
            table.asked(1)
            table.answered(1)
        }
        #expect(table.changed(1, at: 0) == .now)
        table.asked(1)
        #expect(table.raiseBarrier().isEmpty)
        #expect(table.isBarrierReached)
    }

    @Test("Who goes is waited for no longer, and its answer, if one still comes, brings nothing back")
    func removal() {
        let table = Table(of: 1, 2)
        #expect(table.changed(1, at: 9) == .now)
        table.asked(1)
        #expect(table.raiseBarrier().isEmpty)
        #expect(!table.removed(1), "it had no claim")
        #expect(table.isBarrierReached)
        #expect(!table.answered(1, Self.claim.encoded))
        #expect(table.participants().isEmpty)
        #expect(table.inquiry(about: 1, at: 9) == .never)
        #expect(table.due(1, at: 9) == .never)
        #expect(!table.removed(7), "nobody")
        #expect(table.changed(1, at: 9) == .now, "the number is somebody else's now")
        table.asked(1)
        #expect(table.answered(1, Self.claim.encoded))
        #expect(table.removed(1), "it had a claim")
    }
}
