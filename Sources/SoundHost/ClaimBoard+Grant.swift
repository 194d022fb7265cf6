internal import PulseClient
internal import SessionPolicy

/// An activation that nobody can refuse, told to the app before it counts.
///
/// Servers tell all clients of a change before they answer the question that our own news leads to, and PipeWire does so
/// two round trips late, one for each of them: with fifty sessions that is most of an activation. Asked, it says what it
/// has sent already, though not what else has changed; PulseAudio answers at once. So the app hears that its session is
/// active as soon as the server shows our claim, if no call can forbid it. What the claim means, to us and to others, is
/// decided after its echo as ever.
extension ClaimBoard {
    /// How often the server is asked; each question waits for the answer to the one before.
    private static let most = 64

    /// Whether a claim is published of which it is not known yet what it means.
    var isDeciding: Bool { pending != nil }

    /// Whether the app has been told that its session is active, which does not count yet.
    var isGranted: Bool { pending?.isGranted == true }

    /// An activation that succeeded makes what was said before it void, but for what goes on beside it.
    var lasting: [ClaimStep] { [.playing(isPlaying), .foreign(foreign)] }

    /// Whether the app has ended the session since it was told of its success.
    var hasEnded: Bool {
        guard isGranted else { return false }
        return postponed.contains { if case .idle = $0 { true } else { false } }
    }

    /// What the verdict on this session will be, as far as can be known, while its claim is pending.
    var expectedVerdict: Verdict {
        guard let id, let pending else { return verdict }
        let others = participants.filter { $0.id != id }
        return Arbitration(others + [Participant(id: id, claim: pending.claim)]).verdict(on: id)
    }

    /// Asks the server for our claim until it shows the pending one.
    func grantIfReadable(asked: Int = 0) {
        guard asked < Self.most, let connection, let id, let pending, isGrantable(pending) else { return }
        let text = pending.claim.encoded
        connection.sync { asking in
            asking.client(at: id) { [weak self] result in
                guard let self, self.connection === connection, case .success(let found) = result else { return }
                guard found.properties[Claim.property] == text else { return grantIfReadable(asked: asked + 1) }
                grant(text)
            }
        }
    }

    private func isGrantable(_ pending: Pending) -> Bool {
        pending.isActivation && !pending.isGranted && !pending.claim.settings.isRefusedDuringCalls
    }

    private func grant(_ text: String) {
        guard let granted = pending, isGrantable(granted), granted.claim.encoded == text else { return }
        pending?.isGranted = true
        postponed = lasting
        granted.completion(nil)
        mainloop.signal()
    }
}
