import AVFAudio
import CommandLineSupport
import DesktopBus
import Dispatch
import Foundation
import Glibc
import SessionPolicy
import SoundHost

/// The session around a command: active from before its start to after its end, silent while interrupted.
@MainActor
final class CommandSession {
    /// What is passed on to the command, or acted on, besides requests to end.
    ///
    /// A hang-up is always among it: the command may want to know what we ignore.
    nonisolated static let signals = [SIGTSTP, SIGCONT, SIGHUP]

    private let program: CommandProgram
    private let options: SessionChoice
    private let access: ServerAccess
    private let signalMask: sigset_t
    /// Whether the command's streams were silenced last, and not let be heard.
    private var isSilent = false
    /// Media players among the command's processes are asked to pause, so that they go on where they were.
    private var players: ForeignPlayers?
    private var hasPausedPlayers = false
    /// Whether another session or a call has the floor, be it that ours is interrupted or refused.
    private var isInterrupted = false
    /// Whether we ended the session because the job was stopped: only then is it taken back when the job goes on.
    private var isSuspended = false
    private var process: pid_t = 0
    private var retry: (any DispatchSourceTimer)?
    /// The random bits of our session's claim; nil before the command is started.
    private var owner: UInt64?
    /// Looks who is heard besides while a session of the command's own has the floor, which ours is told nothing of.
    private var floor: Task<Void, Never>?
    /// Counts those looks: what an earlier one has found says nothing any more.
    private var floors = 0

    private static let category = CategoryWord.playback
    /// How long to wait before a session that was refused is activated again, in seconds.
    private static let retryDelay = 1.0

    /// A session that is not active yet.
    nonisolated init(program: CommandProgram, options: SessionChoice, access: ServerAccess, signalMask: sigset_t) {
        self.program = program
        self.options = options
        self.access = access
        self.signalMask = signalMask
    }

    /// Activates, runs the command, deactivates, and ends the process with the command's status.
    nonisolated func hold() -> Never {
        MainActor.assumeIsolated {
            let environment = access.commandEnvironment
            // Others see the command's name, not ours.
            setenv("PULSE_PROP_application.name", program.name, 0)
            setenv("PULSE_PROP_application.id", program.name, 0)
            listen()
            let owner = begin()
            if let number = Signals.pending() {
                if number == SIGINT { InterruptedEnd.prepare() }
                end(128 + number)
            }
            start(owner, environment)
        }
        while true { RunLoop.main.run() }
    }

    /// Activates the session and returns the name under which streams belong to it.
    private func begin() -> String {
        let session = AVAudioSession.sharedInstance()
        do {
            try options.configure(session, default: Self.category)
            try session.setActive(true)
            return try session.owner
        } catch {
            let error = error as NSError
            switch error.code {
            case AVAudioSession.ErrorCode.mediaServicesFailed.rawValue:
                access.noServer(oneLine(error), isRefusal: isRefusal(error))
            case AVAudioSession.ErrorCode.badParam.rawValue:
                access.fail(.usage, "the session refuses this category, mode and options: \(oneLine(error))")
            default: access.fail(.failed, oneLine(error))
            }
        }
    }

    private func start(_ owner: String, _ inherited: [CommandWord]) {
        let role = UserSettings.current.policy.setsRoles ? options.role(default: Self.category) : nil
        let environment = CommandEnvironment.adding(owner: owner, role: role, to: inherited)
        if let uid = UInt64(owner, radix: 16) {
            self.owner = uid
            // The command's own bus, which is not ours where the server is private.
            let bus = CommandEnvironment.values(of: ["DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR"], in: inherited)
            players = ForeignPlayers(
                bus: SessionBus(environment: bus), own: uid, streams: { [] },
                participants: { AVAudioSession.sharedInstance().participants })
        }
        setSilent(false)
        do throws(CommandProgram.Failure) {
            process = try program.start(environment: environment, signalMask: signalMask)
        } catch {
            complain(error.message)
            end(error.status)
        }
        let process = process
        Thread.detachNewThread { [self] in
            CommandProgram.awaitEnd(of: process)
            onMain { $0.commandEnded() }
        }
        Signals.receive(Self.signals) { [self] arrival in onMain { $0.received(arrival) } }
    }

    /// The command is over; until here its number was its own, and whatever was sent there reached nobody else.
    private func commandEnded() {
        let status = CommandProgram.wait(for: process)
        process = 0
        // A shell leaves its loop only where it sees the same.
        if status.isInterrupt { InterruptedEnd.prepare() }
        end(status.code)
    }

    /// Deactivates and leaves; whatever was silenced or paused and still lives is given back before.
    private func end(_ status: Int32) -> Never {
        // What the command has left in the background would wait for us for ever. It is asked while the streams are
        // given back.
        if hasPausedPlayers { players?.resumePlayers() }
        if isSilent { AVAudioSession.sharedInstance().releaseCommand() }
        // An interruption that has just ended had them asked to go on, which need not be done yet; with nothing to do
        // this returns at once.
        players?.settle(seconds: 1)
        try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
        access.leave(status)
    }

    // MARK: What happens

    private func listen() {
        observe(AVAudioSession.interruptionNotification, { InterruptionNotice($0) }) { [self] notice in
            if notice.began { silence(for: notice.pid.map { pid_t($0) }) } else { resume() }
        }
        observe(AVAudioSession.mediaServicesWereResetNotification) { [self] in resume() }
    }

    /// Silences the command, unless it is the one that interrupts: its own session sees to its sound, for as long as
    /// that is the one to be heard.
    private func silence(for culprit: pid_t? = nil) {
        retry = nil
        isInterrupted = true
        if let culprit, isAnyOfCommand([culprit]) { return watchFloor() }
        leaveFloor()
        hush()
    }

    private func hush() {
        // Once: whoever plays again by hand while the session is refused means it.
        if process > 0, !hasPausedPlayers {
            hasPausedPlayers = true
            players?.pausePlayers(ofPids: [process])
        }
        setSilent(true)
    }

    private func giveBack() {
        setSilent(false)
        hasPausedPlayers = false
        players?.resumePlayers()
    }

    private func setSilent(_ isSilent: Bool) {
        self.isSilent = isSilent
        AVAudioSession.sharedInstance().silenceCommand(isSilent)
    }

    private func isAnyOfCommand(_ processes: [pid_t]) -> Bool {
        let tree = ProcessTree(of: processes) { ProcessGlance($0)?.parent }
        return processes.contains { tree.isProcess($0, within: process) }
    }

    // MARK: The floor

    /// Whether a session of the command itself would be interrupted by ours: it is what is to be heard, or is to come
    /// back when somebody else is over, and would wait for the end of ours, which comes with its own.
    private var hasCommandTheFloor: Bool {
        let participants = AVAudioSession.sharedInstance().participants
        guard participants.contains(where: { $0.claim.pid == getpid() && !$0.claim.isMixable }) else { return false }
        return participants.contains { $0.isLive && !$0.claim.isMixable && $0.isOf(command: process) }
    }

    /// Has the command silenced whenever somebody else takes the floor from its own session, and given back.
    private func watchFloor() {
        guard floor == nil, let owner else { return }
        floors += 1
        let number = floors
        let watch = CommandAudibility(command: process, owner: owner) { [self] isTaken in
            onMain { held in
                guard held.floor != nil, held.floors == number else { return }
                if isTaken { held.hush() } else { held.giveBack() }
            }
        }
        floor = Task.detached { await watch.watch() }
    }

    private func leaveFloor() {
        floor?.cancel()
        floor = nil
    }

    /// The command goes on sounding, so the session must be active, whether or not it was asked to resume; unless a session
    /// of the command's own, which has been quicker, is.
    private func resume() {
        retry = nil
        isInterrupted = hasCommandTheFloor
        if isInterrupted {
            // Who has no active session is not told of its end.
            retry = after(Self.retryDelay) { [self] in resume() }
            // The first look tells what is to be heard.
            return watchFloor()
        }
        leaveFloor()
        do {
            let session = AVAudioSession.sharedInstance()
            try options.configure(session, default: Self.category)
            try session.setActive(true)
        } catch {
            // In this order: who silences for another reason wants no retry.
            silence()
            retry = after(Self.retryDelay) { [self] in resume() }
            return
        }
        giveBack()
    }

    private func received(_ arrival: Signals.Arrival) {
        switch arrival.number {
        case SIGTSTP:
            // One that is interrupted keeps its place, and comes back when the interruption ends.
            isSuspended = !isInterrupted
            if isSuspended {
                try? AVAudioSession.sharedInstance().setActive(false, options: .notifyOthersOnDeactivation)
            }
            pass(arrival)
            // Not SIGSTOP: where no shell could continue us, the kernel stops neither the command nor us, and the
            // session is taken back at once.
            Signals.raise(SIGTSTP)
            goOn()
        case SIGCONT:
            pass(arrival)
            goOn()
        default: pass(arrival)
        }
    }

    /// The job goes on; whoever was silent when it was stopped, or never was stopped, takes the floor from nobody.
    private func goOn() {
        guard isSuspended else { return }
        isSuspended = false
        resume()
    }

    /// Sends a signal on, unless the command got it from the terminal as we did.
    private func pass(_ arrival: Signals.Arrival) {
        guard !arrival.isFromTerminal, process > 0 else { return }
        kill(process, arrival.number)
    }

    nonisolated private func onMain(_ body: @escaping @MainActor (CommandSession) -> Void) {
        OperationQueue.main.addOperation { MainActor.assumeIsolated { body(self) } }
    }
}
