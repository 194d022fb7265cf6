import ArgumentParser
import CommandLineSupport
import PulseClient
import SoundHost

/// `audiosession end`: ends one stream, as a mixer does; the remedy of `explain` against a call.
struct EndCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "end",
        abstract: "Ends a playback stream of any program, by the number that status shows.",
        discussion: """
            The program is told that its stream was killed, and goes on: most open a new one when they have to play again.
            A session whose stream is ended is interrupted.
            """)

    @Argument(help: "The stream's number: what status shows after 'out'.")
    var stream: UInt32

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object on stdout.")
    var json = false

    func run() {
        let access = ServerAccess(server)
        let (stream, json) = (stream, json)
        access.run {
            let observer = await access.observer()
            do throws(PulseError) {
                guard try await Self.end(stream, on: observer.connection) else {
                    access.fail(.failed, "the sound server does not end stream \(stream)")
                }
            } catch {
                guard error.code == .noSuchEntity else { access.fail("stream \(stream) cannot be ended", error) }
                access.fail(.failed, "there is no playback stream \(stream) (audiosession status lists them)")
            }
            eventPrinter(isOn: json).emit("ended", ["stream": .integer(Int(stream))])
            await observer.close()
        }
    }

    /// Returns whether the stream is gone; throws if it was never there.
    private static func end(_ stream: UInt32, on connection: PulseConnection) async throws(PulseError) -> Bool {
        _ = try await connection.sinkInput(at: stream)
        // PipeWire 0.3.65 may say that it has ended a stream that has only begun, and not do so.
        for _ in 0..<20 {
            do throws(PulseError) {
                try await connection.killSinkInput(at: stream)
                _ = try await connection.sinkInput(at: stream)
            } catch {
                guard error.code == .noSuchEntity else { throw error }
                return true
            }
            try? await Task.sleep(for: .milliseconds(100))
        }
        return false
    }
}
