/// One session's part in the protocol of claims (docs/claims.md): when to publish what, what to wait for, and what
/// follows.
///
/// Nothing is decided between publishing a claim and its own echo; after that, at every change.
///
/// It has no clock, no lock and no I/O: times are in seconds of any clock that only goes forward, and effects are values.
/// Unlike ``SessionMachine`` it is no value itself, and hands its effects out one by one instead of returning them: the
/// session answers some of them at once, with a step or a question, and what it says then counts before the rest of the
/// input is decided.
package final class ClaimNegotiation {
    /// A claim that was published and that counts once its echo, and every answer before it, has come.
    struct Pending {
        var claim: Claim
        /// What to go back to if it is refused; `nil` once that has happened.
        var previous: Claim?
        /// Whether it has drawn its ticket a second time.
        var isRenewed = false
        /// Whether the session begins, and does not merely change.
        var isActivation = false
        /// Whether the app has been told that it succeeded, before it counts.
        var isGranted = false
        /// Why it was refused, once it was.
        var failure: SessionError?
        /// Who said something before the server had this claim, as far as its news are in order.
        var elders: Set<UInt32> = []
        /// How often the server will tell us of what we said earlier, before it tells us that it has this.
        var newsAhead = 0
        /// Whether the server has told us that it has it.
        var isAnnounced = false
        /// Which request it is for.
        let request: Int
    }

    /// Something that is decided once these changes are known, or after a second.
    struct Patience {
        let wish: Wish
        let request: Int
        /// Whether calls that speak against it have been asked whether they still live.
        let isSure: Bool
        let changes: [UInt32: Int]
        let number: Int
    }

    /// What a request comes to when enough is known.
    enum Wish {
        case activate(SessionSettings)
        case change(SessionSettings)
    }

    /// A client as a list of all tells it.
    package struct ListedClient: Sendable {
        let index: UInt32
        let word: Word

        /// A client with this index on the server.
        package init(index: UInt32, word: Word) {
            self.index = index
            self.word = word
        }
    }

    /// What a client says of itself.
    package struct Word: Sendable {
        let text: String?
        let name: String?

        /// The text of its claim, if it has one, and its name for people.
        package init(text: String?, name: String?) {
            self.text = text
            self.name = name
        }
    }

    /// Carries effects out.
    let perform: (ClaimEffect) -> Void
    /// What is known of others.
    package internal(set) var table = ClaimTable()
    /// The participants whose processes are known to be stopped; ``decide()`` heeds it.
    package var stopped: Set<UInt32> = []
    /// Our client's index on the server; `nil` without a server.
    package internal(set) var id: UInt32?
    /// What we say at present.
    package internal(set) var claim: Claim
    /// The verdicts as of now.
    package internal(set) var arbitration = Arbitration()

    var isConnected = false
    /// How much of what we said the server has not told us of yet.
    var unannounced = 0
    var pending: Pending?
    /// Steps that were taken while a claim was pending.
    var postponed: [ClaimStep] = []
    /// The changes that must be known before an interruption ends.
    var awaited: [UInt32: Int]?
    /// What waits until more is known, and how often something did.
    var patience: [Patience] = []
    var patiences = 0
    var isPlaying = false
    var foreign: Claim.Foreign?

    /// Whether another session's main sound is heard, as far as programs outside the library make it.
    var isForeignMainSoundHeard = false
    /// What the session was told of that last.
    var hint = false
    /// Whether ``ClaimTimer/silence`` runs.
    var isSettling = false
    /// Whether everybody's changes are asked about at once, whatever the session does.
    var attendsToAll = false

    /// A session that has no server yet, and says this, which is idle, to the first.
    package init(claim: Claim, perform: @escaping (ClaimEffect) -> Void) {
        self.claim = claim
        self.perform = perform
    }

    /// The verdict on this session.
    package var verdict: Verdict { id.map { arbitration.verdict(on: $0) } ?? .inactive }

    /// Everybody with a valid claim.
    package var participants: [Participant] { table.participants(stopped: stopped) }

    /// Whether the server has told us what we said last; true if there is none.
    package var isEchoed: Bool { pending == nil && id.map { table.rows[$0]?.text == claim.encoded } ?? true }

    /// Says something of ourselves from now on.
    func publish(_ new: Claim) {
        claim = new
        guard isConnected else { return }
        unannounced += 1
        perform(.publish(new.encoded))
    }

    // MARK: The connection

    /// There is a server, and our client on it, with this index, carries our claim already; everybody is to be listed.
    package func connected(as id: UInt32?) {
        isConnected = true
        unannounced = 0
        self.id = id
        table.own = id
    }

    /// All clients, as the server listed them.
    package func listed(_ clients: [ListedClient]) {
        for client in clients {
            _ = table.listed(client.index, text: client.word.text, name: client.word.name)
            met(client.index, saying: client.word)
        }
        decide()
    }

    /// The server is gone, and all claims with it.
    package func disconnected() {
        isConnected = false
        id = nil
        table = ClaimTable()
        arbitration = Arbitration()
        awaited = nil
        hint = false
        isForeignMainSoundHeard = false
        stopped = []
        claim = claim.idle(notify: false)
        isPlaying = false
        foreign = nil
        // What was to be said after the claim that is lost is void with it.
        postponed = []
        perform(.disconnected)
        finish(SessionError(.mediaServicesFailed, "The sound server went away."))
        decideWhatWaits()
    }

    // MARK: What the server says

    /// A client appeared, or says something else than before.
    package func changed(_ client: UInt32, at time: Double) {
        if client == id { unannounced = max(0, unannounced - 1) }
        if let pending, !pending.isAnnounced {
            switch client {
            case id where pending.newsAhead > 0: self.pending?.newsAhead -= 1
            case id: self.pending?.isAnnounced = true
            default: self.pending?.elders.insert(client)
            }
        }
        follow(table.changed(client, at: time), about: client)
    }

    /// A client went.
    package func removed(_ client: UInt32) {
        perform(.cancel(.inquiry(client)))
        learned(table.removed(client))
    }

    /// A client that was asked about says this.
    package func answered(_ client: UInt32, with word: Word, at time: Double) {
        let isNews = table.answered(client, text: word.text, name: word.name)
        met(client, saying: word)
        learned(isNews)
        follow(table.inquiry(about: client, at: time), about: client)
    }

    /// A client that was asked about is not there.
    package func vanished(_ client: UInt32, at time: Double) {
        learned(table.removed(client))
        follow(table.inquiry(about: client, at: time), about: client)
    }

    /// The time of a timer has come.
    package func fired(_ timer: ClaimTimer, at time: Double) {
        switch timer {
        case .inquiry(let client): follow(table.due(client, at: time), about: client)
        case .patience: decideWhatWaits(isLast: true)
        case .deadline: giveUp()
        case .silence:
            isSettling = false
            reportHint()
        }
    }

    private func follow(_ inquiry: ClaimTable.Inquiry, about client: UInt32) {
        switch inquiry {
        case .never: break
        case .now: ask(about: client)
        case .later(let seconds): perform(.start(.inquiry(client), seconds: seconds))
        }
    }

    /// Asks about all whose question was put off; returns what the answers to come must cover.
    @discardableResult
    package func catchUp() -> [UInt32: Int] {
        for client in table.putOff { ask(about: client) }
        return table.outstanding
    }

    func ask(about client: UInt32) {
        guard isConnected else { return }
        table.asked(client)
        perform(.ask(client))
    }

    /// An answer came, which may be news, and what decisions wait for.
    private func learned(_ isNews: Bool) {
        if isNews || awaited.map(table.covers) == true { decide() }
        concludeIfPossible()
        decideWhatWaits()
        perform(.signal)
    }

    /// A client's word has been taken over: our own may be the echo that a decision waits for.
    private func met(_ client: UInt32, saying word: Word) {
        perform(.met(client))
        // Servers may tell of several words at once.
        if client == id, word.text == claim.encoded { unannounced = 0 }
        if client == id, let pending, word.text == pending.claim.encoded {
            self.pending?.isAnnounced = true
            for client in table.raiseBarrier() { ask(about: client) }
        }
    }
}
