internal import AudioHost
package import DesktopBus
internal import Locks
package import SessionPolicy

/// The media players of other programs (MPRIS), which are paused while a session that does not mix is active.
///
/// ``ForeignPlayerRules`` selects the players and ``ForeignPlayerPause`` decides when they play again; this class sends the
/// commands. The work is done on the bus's thread; only ``settle(seconds:)`` blocks. All members may be called on any
/// thread, with any locks held that the closures do not need.
// SAFETY: what is shared is in `progress`, with a lock; all else is touched on the bus's thread only.
package final class ForeignPlayers: @unchecked Sendable {
    /// The reason for which players are paused.
    private enum Holder: CaseIterable {
        /// The session, which pauses the players of others.
        case session
        /// The command that the session belongs to (`audiosession run`), whose own players pause with the session.
        case command
    }

    private let bus: SessionBus?
    private let streams: @Sendable () -> [ServerStream]
    private let participants: @Sendable () -> [Participant]
    private let onWaiting: @Sendable (Bool) -> Void
    private let own: UInt64
    private let host = ProcessGlance.hostName

    private var pauses: [Holder: ForeignPlayerPause] = [:]
    /// The processes of the command, whose players and whose descendants' players belong to it.
    private var commandProcesses: [Int32] = []
    /// The number of unanswered requests for the state of players.
    private var questions = 0
    private var isWatching = false
    /// The last value passed to `onWaiting`.
    private var notifiedWaiting = false

    /// What other threads see of the work on the bus's thread.
    private struct Progress {
        var submitted = 0
        var isReturning = false
        var isWaiting = false
        var entries: [ForeignPlayerPause.Entry] = []

        var isSettled: Bool { submitted == 0 && !isReturning }
    }

    private let progress = GuardedCondition(Progress())

    /// No paused players; the bus is not used before a session begins.
    ///
    /// - Parameters:
    ///   - bus: The user's session bus; nil if there is none.
    ///   - own: The `uid` of this process's claim.
    ///   - streams: All streams on the server; called on the bus's thread, and may block.
    ///   - participants: All participants, this process included; called on the bus's thread, and may block.
    ///   - onWaiting: Called on the bus's thread when the first player begins to wait for another session's end, and when
    ///     the last one stops.
    package init(
        bus: SessionBus?, own: UInt64, streams: @escaping @Sendable () -> [ServerStream],
        participants: @escaping @Sendable () -> [Participant], onWaiting: @escaping @Sendable (Bool) -> Void = { _ in }
    ) {
        self.bus = bus
        self.own = own
        self.streams = streams
        self.participants = participants
        self.onWaiting = onWaiting
        for holder in Holder.allCases { pauses[holder] = ForeignPlayerPause(own: own) }
    }

    // MARK: The session

    /// Pauses the audible players, as the session became active, does not mix, and was requested by the app.
    package func sessionBegan() {
        submit { $0.begin(.session) { _ in } }
    }

    /// Resumes the players that were not touched since, after the session's deactivation, if others may resume.
    ///
    /// An interruption does not end the pause. Players also wait for the end of newer sessions of other programs.
    package func sessionEnded(notify: Bool) {
        submit { players in
            // First, so that `participantsChanged` is not skipped when another session ends during the listing.
            players.progress.withLock { $0.isWaiting = true }
            players.received(.sessionEnded(notify: notify, participants: players.participants()), for: .session)
        }
    }

    /// Resumes the players at the process's exit, as after a deactivation that notifies others; those of a command, too.
    package func processEnds() {
        sessionEnded(notify: true)
        resumePlayers()
    }

    /// Notes a change of any claim; cheap unless players wait for the end of another session.
    package func participantsChanged() {
        guard progress.withLock({ $0.isWaiting }) else { return }
        submit { $0.received(.participantsChanged($0.participants()), for: .session) }
    }

    // MARK: A command's own players

    /// Pauses all players of some processes and their descendants, audible or not, except those with a session.
    ///
    /// - Parameters:
    ///   - processes: The processes.
    ///   - completion: Called on the bus's thread with the players that were paused, after some seconds at the latest.
    package func pausePlayers(
        ofPids processes: [Int32], completion: @escaping @Sendable ([ForeignPlayer]) -> Void = { _ in }
    ) {
        guard bus != nil else { return completion([]) }
        submit {
            $0.commandProcesses = processes
            $0.begin(.command, completion)
        }
    }

    /// Resumes the players that ``pausePlayers(ofPids:completion:)`` paused and that were not touched since.
    package func resumePlayers() {
        submit { $0.received(.sessionEnded(notify: true, participants: []), for: .command) }
    }

    // MARK: State

    /// The players that were paused and will be resumed.
    package var paused: [ForeignPlayerPause.Entry] { progress.withLock { $0.entries } }

    /// Blocks until all commands are done, except for players that wait for other sessions; for use before an exit.
    ///
    /// - Parameter seconds: The limit.
    /// - Returns: Whether all commands are done.
    @discardableResult
    package func settle(seconds: Double) -> Bool {
        let deadline = MonotonicClock.seconds + seconds
        return progress.wait(until: { _ in deadline }, for: \.isSettled)
    }

    // MARK: On the bus's thread

    private func submit(_ work: @escaping @Sendable (ForeignPlayers) -> Void) {
        guard let bus else { return }
        progress.withLock { $0.submitted += 1 }
        bus.perform { [weak self] in
            guard let self else { return }
            work(self)
            self.progress.withLock { $0.submitted -= 1 }
            self.publish()
        }
    }

    private func publish() {
        let all = Holder.allCases.compactMap { pauses[$0] }
        let waits = all.contains(where: \.isWaiting)
        let entries = all.flatMap(\.entries)
        let isReturning = all.contains(where: \.isReturning)
        progress.withLock {
            $0.entries = entries
            $0.isReturning = isReturning
            $0.isWaiting = waits
        }
        if waits != notifiedWaiting {
            notifiedWaiting = waits
            onWaiting(waits)
        }
        // Players send signals all the time; without a reason they are not watched.
        guard isWatching, questions == 0, all.allSatisfy(\.entries.isEmpty) else { return }
        isWatching = false
        bus?.watchPlayers(nil)
    }

    private func begin(_ holder: Holder, _ completion: @escaping @Sendable ([ForeignPlayer]) -> Void) {
        questions += 1
        // Watches first, so that no signal between a player's answer and the watch is missed.
        if !isWatching {
            isWatching = true
            bus?.watchPlayers { [weak self] in self?.happened($0) }
        }
        received(.sessionBegan, for: holder)
        bus?.playerAddresses { [weak self] in self?.choose(among: $0, for: holder, completion) }
    }

    private func choose(
        among addresses: [MediaPlayer.Address], for holder: Holder,
        _ completion: @escaping @Sendable ([ForeignPlayer]) -> Void
    ) {
        let mayPause = rule(for: holder, among: addresses)
        let search = Search(missing: addresses.count) { [weak self] in
            completion($0)
            self?.questions -= 1
            self?.publish()
        }
        for address in addresses {
            // Pauses each player on its answer: a player that does not answer must not delay the others' pause.
            bus?.readPlayer(at: address) { [weak self] in
                let player = $0.map(ForeignPlayer.init).flatMap { mayPause($0) ? $0 : nil }
                if let player { self?.received(.found(player), for: holder) }
                search.took(player)
            }
        }
        search.took(nil)
    }

    private func rule(
        for holder: Holder, among addresses: [MediaPlayer.Address]
    ) -> @Sendable (ForeignPlayer) -> Bool {
        let players = addresses.compactMap(\.pid)
        switch holder {
        case .session:
            let streams = streams()
            let participants = participants()
            let processes = ProcessTree(reading: players + streams.compactMap(\.pid))
            let rules = ForeignPlayerRules(
                players: players, streams: streams, participants: participants, processes: processes, host: host)
            return { rules.verdict(on: $0) == .pause }
        case .command:
            let roots = commandProcesses
            // Players of a session are paused by that session; a second pause would look like the user's.
            let others = participants().filter { [own, host] in
                $0.claim.uid != own && ($0.claim.host.isEmpty || $0.claim.host == host)
            }
            let processes = ProcessTree(reading: players)
            return { player in
                guard player.status == .playing, player.canPause, let pid = player.pid,
                    !others.contains(where: { processes.isProcess(pid, within: $0.claim.pid) })
                else { return false }
                return roots.contains { processes.isProcess(pid, within: $0) }
            }
        }
    }

    /// Passes an event to the policy, and carries out its effects.
    private func received(_ event: ForeignPlayerPause.Event, for holder: Holder) {
        for effect in pauses[holder]?.received(event) ?? [] {
            switch effect {
            // Carried out by the caller, which has the processes.
            case .look: break
            case .read(let id): read(id, for: holder)
            case .pause(let id):
                bus?.pausePlayer(id) { [weak self] in if $0 == .refused { self?.received(.refused(id), for: holder) } }
            case .play(let id):
                bus?.playPlayer(id) { [weak self] in if $0 == .refused { self?.received(.refused(id), for: holder) } }
            }
        }
        publish()
    }

    private func read(_ id: String, for holder: Holder) {
        bus?.readPlayer(at: MediaPlayer.Address(owner: id)) { [weak self] in
            let player = $0.map(ForeignPlayer.init)
            self?.received(
                player.map { .answered(id, $0.status, track: $0.track) } ?? .unanswered(id), for: holder)
        }
    }

    private func happened(_ event: PlayerEvent) {
        if event == .busLost { isWatching = false }
        for holder in Holder.allCases {
            switch event {
            case .status(let id, let status): received(.status(id, .init(status)), for: holder)
            case .track(let id, let track): received(.track(id, track), for: holder)
            case .seeked(let id): received(.seeked(id), for: holder)
            case .gone(let id): received(.gone(id), for: holder)
            case .busLost: received(.busLost, for: holder)
            case .unclear(let id): received(.unclear(id), for: holder)
            }
        }
    }
}

/// The players that were asked to pause, collected until all have answered.
private final class Search: Sendable {
    private let answers: Guarded<(missing: Int, found: [ForeignPlayer])>
    private let completion: @Sendable ([ForeignPlayer]) -> Void

    init(missing: Int, completion: @escaping @Sendable ([ForeignPlayer]) -> Void) {
        // One extra answer, so that a search without players ends as well.
        answers = Guarded((missing + 1, []))
        self.completion = completion
    }

    func took(_ player: ForeignPlayer?) {
        let all = answers.withLock { answers -> [ForeignPlayer]? in
            if let player { answers.found.append(player) }
            answers.missing -= 1
            return answers.missing == 0 ? answers.found : nil
        }
        if let all { completion(all) }
    }
}

extension ForeignPlayer {
    fileprivate init(_ player: MediaPlayer) {
        self.init(
            id: player.address.owner, name: player.identity ?? player.address.name, pid: player.address.pid,
            desktopEntry: player.desktopEntry, status: player.status.map(Status.init), canPause: player.canPause,
            track: player.track)
    }
}

extension ForeignPlayer.Status {
    fileprivate init(_ status: MediaPlayer.Status) {
        switch status {
        case .playing: self = .playing
        case .paused: self = .paused
        case .stopped: self = .stopped
        }
    }
}
