import ArgumentParser
import CommandLineSupport
import Foundation
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession simulate`: events that an app's author cannot cause by hand.
struct SimulateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "simulate",
        abstract: "Stand-in calls, alarms, resets and device events, to try an app's handlers with.",
        discussion: """
            call    a program outside that takes a call: interrupts sessions, recordings too, until it ends
            alarm   a program outside that rings: interrupts sessions, recordings too
            reset   tells one process (--pid) that the sound server was reset; nothing happens to the server
            unplug  tells it that what it plays on was unplugged, and that a speaker is there instead
            plug    tells it that what was unplugged is there again
            suspend tells it that what it plays on was suspended, until that ends
            lock    tells it that the screen is locked, until that ends
            silent  tells it that the silent switch is on, until that ends
            """)

    /// A simulated event.
    enum Event: String, CaseIterable, ExpressibleByArgument {
        case call, alarm, reset, unplug, plug, suspend, lock, silent

        /// Whether one process is notified, rather than all by a stream.
        var isAnnounced: Bool { Simulation.Event(rawValue: rawValue) != nil }
        /// Whether the event has a duration.
        var lasts: Bool { Simulation.Event(rawValue: rawValue)?.lasts ?? true }
    }

    @Argument(help: "What is to happen.")
    var event: Event

    @OptionGroup var server: ServerOptions

    @Option(
        parsing: .unconditional,
        help: "Seconds that a call, an alarm, a suspension, a lock or silence lasts (default: until Ctrl-C).")
    var seconds: Double?

    @Flag(help: "Make the call or alarm audible: a soft tone, once a second.")
    var tone = false

    @Option(help: "The process that is told of a reset, a device event, a lock or silence.")
    var pid: Int32?

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func validate() throws {
        if event.isAnnounced, pid == nil {
            throw ValidationError("\(event.rawValue) needs --pid: it is announced to one process.")
        }
        if !event.isAnnounced, pid != nil {
            throw ValidationError("--pid is not for \(event.rawValue)s, which are for all.")
        }
        if seconds != nil, !event.lasts {
            throw ValidationError("--seconds is not for \(event.rawValue), which is over at once.")
        }
        if tone, event.isAnnounced {
            throw ValidationError("--tone is not for \(event.rawValue), which makes no sound.")
        }
        try checkSeconds(seconds, of: "--seconds")
    }

    func run() {
        let printer = EventPrinter(isOn: json)
        let event = event
        Signals.block()
        let access = ServerAccess(server)
        Signals.receive { _ in
            if event.lasts { printer.emit("finished", ["simulated": .string(event.rawValue)]) }
            access.leave()
        }
        let (seconds, tone) = (seconds, tone)
        if let pid { access.run { await announce(event, to: pid, for: seconds, access, printer) } }
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
                access.fail("cannot simulate this \(event.rawValue)", error)
            }
        }
    }
}

/// Notifies one process of a simulated event, by a property that its session watches.
///
/// The property `avaudiosession.simulate` of this client reads `EVENT;pid=PID;host=HOST;nonce=N`; the process with this ID
/// behaves as if the event had happened, once for each nonce. Events with a duration end with this client.
private func announce(
    _ event: SimulateCommand.Event, to pid: Int32, for seconds: Double?, _ access: ServerAccess, _ printer: EventPrinter
) async {
    let host = ProcessGlance.hostName
    let nonce = UInt64.random(in: 0 ... .max)
    let announcement = "\(event.rawValue);pid=\(pid);host=\(host);nonce=\(nonce)"
    let observer = await access.observer()
    do throws(PulseError) {
        let state = try await ServerSnapshot.read(observer.connection).state
        guard state.participants.contains(where: { $0.claim.pid == pid && $0.claim.host == host }) else {
            access.fail(.failed, "process \(pid) has no session on this server (audiosession status lists them)")
        }
        try await observer.connection.updateProperties(["avaudiosession.simulate": announcement])
    } catch {
        access.fail("cannot announce that", error)
    }
    printer.emit("announced", ["simulated": .string(event.rawValue), "pid": .integer(Int(pid))])
    // Long enough for the process to have asked what this client says.
    let stay = event.lasts ? seconds ?? .infinity : 0.5
    try? await Task.sleep(for: stay.isFinite ? .seconds(stay) : .seconds(1_000_000_000))
    if event.lasts { printer.emit("finished", ["simulated": .string(event.rawValue)]) }
    await observer.close()
}
