import PulseClient
import SessionPolicy

@testable import SoundHost

// The mixer itself, for tests of it.
extension PulseHost {
    /// The output with a role, whose stream may still be on its way.
    func beginOutput(role: StreamRole?) throws -> OutputMix {
        try link.request { () throws(PulseError) in
            try outputs.players.begin(role: role, on: nil, isAssigned: false)
        }
    }

    /// Waits until the stream of an output stands.
    func awaitOutput(_ mix: OutputMix) throws {
        try link.request { () throws(PulseError) in try mix.awaitStream() }
    }

    /// The output with a role, whose stream stands.
    func openOutput(role: StreamRole?) throws -> OutputMix {
        let mix = try beginOutput(role: role)
        try awaitOutput(mix)
        return mix
    }
}
