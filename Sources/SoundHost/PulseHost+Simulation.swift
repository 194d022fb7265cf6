internal import PulseClient
internal import SessionPolicy

/// A reset of the sound server that is announced to one process, so that an app's author can try its handlers
/// (`audiosession simulate reset`).
///
/// Some client's property `avaudiosession.simulate` reads `reset;pid=PID;host=HOST;nonce=N`. Whoever may connect to the
/// server may do worse, so nobody is asked whether he may.
struct SimulatedReset: Hashable, Sendable {
    static let property = "avaudiosession.simulate"

    /// Tells one announcement from the next.
    let nonce: String

    /// What a property says, if it says it to the process with this claim.
    init?(_ text: String, to claim: Claim) {
        let fields = text.split(separator: ";")
        guard text.utf8.count <= 256, fields.count == 4, fields[0] == "reset", fields[1] == "pid=\(claim.pid)",
            fields[2] == "host=\(claim.host)", fields[3].hasPrefix("nonce=")
        else { return nil }
        nonce = String(fields[3].dropFirst("nonce=".count))
    }
}

extension PulseHost {
    /// Some client changed, or is gone if it has no properties.
    func clientChanged(_ client: UInt32, _ properties: PropertyList?) {
        surroundings?.clientChanged(client, properties)
        guard let text = properties?[SimulatedReset.property], let reset = SimulatedReset(text, to: board.claim),
            reset.nonce != lastSimulatedReset
        else { return }
        lastSimulatedReset = reset.nonce
        // Not in the middle of what the board does with its table.
        let timer = MainloopTimer(mainloop: mainloop) { [weak self] in self?.dropConnection() }
        timer.start(after: .zero)
        simulationTimer = timer
    }
}
