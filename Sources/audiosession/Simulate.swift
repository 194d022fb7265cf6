import ArgumentParser
import ExampleSupport
import Foundation
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession simulate`: what an app's author cannot make happen at a desk.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate", abstract: "A stand-in call, alarm or server reset, to try an app's handlers with.",
        discussion: """
            call    a program outside that takes a call: interrupts sessions until it ends
            alarm   a program outside that rings: interrupts sessions, recordings too
            reset   tells one process (--pid) that the sound server was reset; nothing happens to the server
            """)

    /// What can be simulated.
    enum Event: String, CaseIterable, ExpressibleByArgument { case call, alarm, reset }

    @Argument(help: "What is to happen.")
    var event: Event

    @OptionGroup var server: ServerOptions

    @Option(help: "Seconds that a call or an alarm lasts (default: until Ctrl-C).")
    var seconds: Double?

    @Flag(help: "Make the call or alarm audible: a soft tone, once a second.")
    var tone = false

    @Option(help: "The process that is told of a reset.")
    var pid: Int32?

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func validate() throws {
        if event == .reset, pid == nil { throw ValidationError("reset needs --pid: it is announced to one process.") }
        if event != .reset, pid != nil { throw ValidationError("--pid is for reset; \(event.rawValue)s are for all.") }
        if let seconds, seconds <= 0 { throw ValidationError("--seconds must be more than 0.") }
    }

    func run() {
        let printer = EventPrinter(isOn: json)
        let event = event
        Signals.block()
        let access = ServerAccess(server)
        Signals.receive { _ in
            if event != .reset { printer.emit("finished", ["simulated": .string(event.rawValue)]) }
            access.leave()
        }
        if let pid { access.run { await announceReset(to: pid, access, printer) } }
        let (seconds, tone) = (seconds, tone)
        access.run {
            let observer = await access.observer()
            do throws(PulseError) {
                try await SimulatedStream.play(
                    observer.connection, event.rawValue, isAudible: tone, seconds: seconds
                ) { index in
                    printer.emit("started", ["simulated": .string(event.rawValue), "stream": .integer(Int(index))])
                }
                printer.emit("finished", ["simulated": .string(event.rawValue)])
                await observer.close()
            } catch {
                access.noServer("\(error)")
            }
        }
    }
}

/// Tells one process that the server was reset, through a property that its session watches for.
///
/// The property `avaudiosession.simulate` of this client reads `reset;pid=PID;host=HOST;nonce=N`; whoever finds its own
/// process named there behaves as if the server had gone and come back, once for each nonce.
private func announceReset(to pid: Int32, _ access: ServerAccess, _ printer: EventPrinter) async {
    let host = ProcessGlance.hostName
    let nonce = UInt64.random(in: 0 ... .max)
    let announcement = "reset;pid=\(pid);host=\(host);nonce=\(nonce)"
    let observer = await access.observer()
    do throws(PulseError) {
        let scene = try await ServerSnapshot.read(observer.connection).scene
        guard scene.participants.contains(where: { $0.claim.pid == pid && $0.claim.host == host }) else {
            access.fail(.failed, "process \(pid) has no session on this server (audiosession status lists them)")
        }
        try await observer.connection.updateProperties(["avaudiosession.simulate": announcement])
    } catch {
        access.noServer("\(error)")
    }
    printer.emit("announced", ["simulated": "reset", "pid": .integer(Int(pid))])
    // Long enough for the process to have asked what this client says.
    try? await Task.sleep(for: .milliseconds(500))
    await observer.close()
}
