/// The media players outside the library that one session has paused, and when each of them is resumed.
///
/// A player is resumed only if it is as the pause left it: still paused, on the same track, and not started, stopped or
/// moved since. A player that the user has touched is left to the user for good.
package struct ForeignPlayerPause: Hashable, Sendable {
    /// An input.
    package enum Event: Hashable, Sendable {
        /// The session became active, or came back from an interruption.
        case sessionBegan
        /// The session was deactivated; `participants` are all with a claim at this time.
        case sessionEnded(notify: Bool, participants: [Participant])
        /// A claim changed.
        case participantsChanged([Participant])
        /// A player that is to pause by ``ForeignPlayerRules``; answers ``Effect/look``.
        case found(ForeignPlayer)
        /// A player's status and track; answers ``Effect/read(_:)``.
        case answered(String, ForeignPlayer.Status?, track: String?)
        /// A player did not answer ``Effect/read(_:)``.
        case unanswered(String)
        /// A player refused a request.
        case refused(String)
        /// A player's signal that its status changed.
        case status(String, ForeignPlayer.Status)
        /// A player's signal that its track changed.
        case track(String, String?)
        /// A player's signal that a property changed, without its value.
        case unclear(String)
        /// A player's signal that its position was moved.
        case seeked(String)
        /// A player quit.
        case gone(String)
        /// The bus is gone, and all players' names with it.
        case busLost
    }

    /// An action; requests to the same player reach it in this order.
    package enum Effect: Hashable, Sendable {
        /// Find the players that are to pause.
        case look
        /// Ask a player for its status and track.
        case read(String)
        /// Ask a player to pause.
        case pause(String)
        /// Ask a player to play.
        case play(String)
    }

    /// The stage of a player's pause.
    package enum Stage: Hashable, Sendable {
        /// Requested to pause; signals meanwhile may be an echo. Can move to: paused (it reports that, and has
        /// answered), resuming (the session ended), forgotten (it refused, stopped or quit).
        case asked
        /// Paused by this session. Can move to: returning (the session ended), asked (the player plays again, and the
        /// session is active again), forgotten (touched, or quit).
        case paused
        /// Queried for changes since the pause. Can move to: resuming (there are none), paused (the session is active
        /// again), forgotten (it has changed, or does not answer).
        case returning
        /// Requested to play. Can move to: asked (the session is active again), forgotten (it has answered).
        case resuming
    }

    /// A player that is paused, or being paused or resumed.
    package struct Entry: Hashable, Sendable {
        /// The player, with its last status and the track that it paused on.
        package fileprivate(set) var player: ForeignPlayer
        /// The stage of its pause.
        package fileprivate(set) var stage: Stage
    }

    /// The players, in the order of the requests.
    package private(set) var entries: [Entry] = []
    /// Whether the session is active, or interrupted and not deactivated.
    package private(set) var isActive = false
    /// The newer sessions that must end, too, before any player is resumed.
    private var awaited: Set<UInt64> = []
    /// The number of open questions to each player.
    ///
    /// Answers come in order: with no question open, all echoes of earlier requests have arrived.
    private var questions: [String: Int] = [:]
    private let own: UInt64

    /// A pause without players.
    ///
    /// - Parameter own: The random bits of the claim of the session itself.
    package init(own: UInt64) {
        self.own = own
    }

    /// Whether players wait for the end of other sessions, so that changes of claims matter.
    package var isWaiting: Bool { !awaited.isEmpty }

    /// Whether requests are under way for which a process that exits should wait.
    package var isReturning: Bool { entries.contains { $0.stage == .returning || $0.stage == .resuming } }

    /// Handles an event, and returns its effects.
    package mutating func received(_ event: Event) -> [Effect] {
        let effects = effects(of: event)
        for case .read(let id) in effects { questions[id, default: 0] += 1 }
        return effects
    }

    private mutating func effects(of event: Event) -> [Effect] {
        switch event {
        case .sessionBegan: return begin()
        case .sessionEnded(let notify, let participants): return end(notify: notify, participants)
        case .participantsChanged(let participants): return lookAgain(at: participants)
        case .found(let player): return found(player)
        case .answered(let id, let status, let track):
            close(id)
            return answered(id, status, track)
        case .unanswered(let id):
            close(id)
            unanswered(id)
        case .refused(let id): refused(id)
        case .status(let id, let status): return changed(id, to: status)
        case .track(let id, let track): changed(id, to: track)
        case .unclear(let id): return index(of: id) == nil ? [] : [.read(id)]
        case .seeked(let id): seeked(id)
        case .gone(let id):
            questions[id] = nil
            forget(id)
        case .busLost:
            entries = []
            awaited = []
            questions = [:]
        }
        return []
    }

    private mutating func close(_ id: String) {
        guard let open = questions[id] else { return }
        questions[id] = open > 1 ? open - 1 : nil
    }
}

// MARK: - The session

extension ForeignPlayerPause {
    private mutating func begin() -> [Effect] {
        isActive = true
        awaited = []
        var effects: [Effect] = []
        for index in entries.indices {
            switch entries[index].stage {
            case .asked, .paused: break
            case .returning: entries[index].stage = .paused
            case .resuming:
                entries[index].stage = .asked
                effects += [.pause(entries[index].player.id), .read(entries[index].player.id)]
            }
        }
        return effects + [.look]
    }

    private mutating func end(notify: Bool, _ participants: [Participant]) -> [Effect] {
        guard isActive else { return [] }
        isActive = false
        guard notify else {
            entries = []
            return []
        }
        awaited = entries.isEmpty ? [] : newerSessions(among: participants)
        return awaited.isEmpty ? giveBack() : []
    }

    /// Resumes players when no newer session is left; one that ends without `notify` leaves them paused for good.
    private mutating func lookAgain(at participants: [Participant]) -> [Effect] {
        guard isWaiting else { return [] }
        let newer = newerSessions(among: participants)
        let left = awaited.subtracting(newer)
        awaited = newer
        let forbids = participants.contains {
            left.contains($0.claim.uid) && $0.claim.state == .idle && !$0.claim.notify
        }
        if forbids {
            entries = []
            awaited = []
        }
        return awaited.isEmpty ? giveBack() : []
    }

    /// The sessions that do not mix and became active after this one.
    ///
    /// Older ones are no reason to wait: they played at the same time as the players, or had paused them themselves.
    private func newerSessions(among participants: [Participant]) -> Set<UInt64> {
        let ourselves = participants.first { $0.claim.uid == own }
        let newer = participants.filter { participant in
            participant.isLive && !participant.claim.isMixable && participant.claim.uid != own
                && ourselves?.isOlder(than: participant) ?? true
        }
        return Set(newer.map(\.claim.uid))
    }

    private mutating func giveBack() -> [Effect] {
        var effects: [Effect] = []
        for index in entries.indices {
            let id = entries[index].player.id
            switch entries[index].stage {
            case .asked:
                // The pause is still pending, and the next request is carried out after it.
                entries[index].stage = .resuming
                effects += [.play(id), .read(id)]
            case .paused:
                // Some players do not signal the user's commands.
                entries[index].stage = .returning
                effects.append(.read(id))
            case .returning, .resuming: break
            }
        }
        return effects
    }
}

// MARK: - Players

extension ForeignPlayerPause {
    private mutating func found(_ player: ForeignPlayer) -> [Effect] {
        guard isActive, player.status == .playing else { return [] }
        if let index = index(of: player.id) {
            // A player that was paused, and that plays again without a signal.
            guard entries[index].stage == .paused else { return [] }
            entries.remove(at: index)
        }
        entries.append(Entry(player: player, stage: .asked))
        return [.pause(player.id), .read(player.id)]
    }

    private mutating func answered(_ id: String, _ status: ForeignPlayer.Status?, _ track: String?) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        let isUntouched = status == .paused && track == entries[index].player.track
        switch entries[index].stage {
        case .asked:
            entries[index].player.track = track
            changed(index, to: status)
        case .paused:
            if !isUntouched { forget(id) }
        case .returning:
            guard isUntouched else {
                forget(id)
                break
            }
            entries[index].stage = .resuming
            return [.play(id), .read(id)]
        case .resuming:
            if questions[id] == nil { forget(id) }
        }
        return []
    }

    private mutating func unanswered(_ id: String) {
        guard let index = index(of: id) else { return }
        switch entries[index].stage {
        case .asked: changed(index, to: entries[index].player.status)
        case .paused: break
        case .returning, .resuming: forget(id)
        }
    }

    private mutating func refused(_ id: String) {
        guard let index = index(of: id) else { return }
        switch entries[index].stage {
        case .asked, .resuming: forget(id)
        case .paused, .returning: break
        }
    }

    private mutating func changed(_ id: String, to status: ForeignPlayer.Status) -> [Effect] {
        guard let index = index(of: id) else { return [] }
        switch entries[index].stage {
        case .asked:
            // A player that pauses after its answer may report further changes, such as its position: it is queried
            // again.
            if status == .paused, questions[id] == nil { return [.read(id)] }
            changed(index, to: status)
        case .paused, .returning: if status != .paused { forget(id) }
        case .resuming: break
        }
        return []
    }

    /// Makes a player that was asked to pause paused, once it says so and no question is open.
    ///
    /// Earlier signals may be echoes of this or an earlier request; later ones are another program's.
    private mutating func changed(_ index: Int, to status: ForeignPlayer.Status?) {
        entries[index].player.status = status
        switch status {
        case .stopped: forget(entries[index].player.id)
        case .paused: if questions[entries[index].player.id] == nil { entries[index].stage = .paused }
        case .playing, nil: break
        }
    }

    private mutating func changed(_ id: String, to track: String?) {
        guard let index = index(of: id) else { return }
        switch entries[index].stage {
        case .asked: entries[index].player.track = track
        case .paused, .returning:
            if track != entries[index].player.track { forget(id) }
        case .resuming: break
        }
    }

    private mutating func seeked(_ id: String) {
        guard let index = index(of: id) else { return }
        switch entries[index].stage {
        // Some players report their position at each pause and start.
        case .asked, .resuming: break
        case .paused, .returning: forget(id)
        }
    }

    private func index(of id: String) -> Int? { entries.firstIndex { $0.player.id == id } }

    private mutating func forget(_ id: String) {
        entries.removeAll { $0.player.id == id }
        // Without players there is nothing to wait for.
        if entries.isEmpty { awaited = [] }
    }
}
