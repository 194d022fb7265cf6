import AVFAudio
import CommandLineSupport
import DesktopBus
import Dispatch
import Foundation
import Glibc
import SessionPolicy
import SoundHost

/// The session around a command: active from before its start until after its end.
///
/// It silences the command while it is interrupted.
@MainActor
final class CommandSession {
    /// The signals that are forwarded to the command, or handled, besides requests to end.
    ///
    /// SIGHUP is always forwarded: the command may handle it where this process ignores it.
    nonisolated static let signals = [SIGTSTP, SIGCONT, SIGHUP]

    private let program: CommandProgram
    private let options: SessionChoice
    private let access: ServerAccess
    private let signalMask: sigset_t
    /// Whether the command's streams are silenced.
    private var isSilent = false
    /// The media players among the command's processes, which are paused and resumed by MPRIS.
    private var players: ForeignPlayers?
    private var hasPausedPlayers = false
    /// Whether another session or a call interrupts or refuses this session.
    private var isInterrupted = false
    /// Whether the session was deactivated because the job was stopped, and is to be activated when it continues.
    private var isSuspended = false
    private var process: pid_t = 0
    private var retry: (any DispatchSourceTimer)?
    /// The `uid` of the session's claim; nil before the command is started.
    private var owner: UInt64?
    /// The watch of ``CommandAudibility`` while a session of the command's own interrupts this one.
    private var audibilityWatch: Task<Void, Never>?
    /// The number of watches, to ignore late notifications of an earlier one.
    private var watches = 0

    private static let category = CategoryWord.playback
    /// The time between attempts to activate a refused session, in seconds.
    private static let retryDelay = 1.0

    /// An inactive session.
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

    /// Activates the session and returns the owner property for the command's streams.
    private func begin() -> String {
        let session = AVAudioSession.sharedInstance()
        do {
            try activate(session)
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

    private func activate(_ session: AVAudioSession) throws {
        try options.configure(session, default: Self.category)
        // Such an interruption ends with the app's next start; a silenced command has no way to ask for that.
        try session.setPrefersInterruptionOnRouteDisconnect(false)
        try session.setActive(true)
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

    /// Handles the command's end; until here its process ID was not reused, so that no signal reached another process.
    private func commandEnded() {
        let status = CommandProgram.wait(for: process)
        process = 0
        // A shell leaves its loop only where it sees the same.
        if status.isInterrupt { InterruptedEnd.prepare() }
        end(status.code)
    }

    /// Restores the command's streams and players that still exist, deactivates the session and ends this process.
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
            if notice.began { interrupted(by: notice.pid.map { pid_t($0) }) } else { resume() }
        }
        observe(AVAudioSession.mediaServicesWereResetNotification) { [self] in resume() }
    }

    /// Silences the command, unless the interrupter is a session of its own, which manages its sound for as long as it is
    /// audible.
    private func interrupted(by culprit: pid_t? = nil) {
        retry = nil
        isInterrupted = true
        if let culprit, isAnyOfCommand([culprit]) { return watchAudibility() }
        stopWatchingAudibility()
        silence()
    }

    private func silence() {
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

    // MARK: Sessions of the command

    /// Whether activating this session would interrupt a session of the command, which would then wait for the end of
    /// this one, and thus of the command.
    private var wouldInterruptCommand: Bool {
        let participants = AVAudioSession.sharedInstance().participants
        guard participants.contains(where: { $0.claim.pid == getpid() && !$0.claim.isMixable }) else { return false }
        return participants.contains { $0.isLive && !$0.claim.isMixable && $0.isOf(command: process) }
    }

    /// Starts to silence the command whenever another session or call interrupts the command's own session.
    private func watchAudibility() {
        guard audibilityWatch == nil, let owner else { return }
        watches += 1
        let number = watches
        let watch = CommandAudibility(command: process, owner: owner) { [self] isSilent in
            onMain { session in
                guard session.audibilityWatch != nil, session.watches == number else { return }
                if isSilent { session.silence() } else { session.giveBack() }
            }
        }
        audibilityWatch = Task.detached { await watch.watch() }
    }

    private func stopWatchingAudibility() {
        audibilityWatch?.cancel()
        audibilityWatch = nil
    }

    /// Activates the session again after an interruption, whatever `shouldResume` says, because the command plays on;
    /// unless a session of the command is active.
    private func resume() {
        retry = nil
        isInterrupted = wouldInterruptCommand
        if isInterrupted {
            // Who has no active session is not told of its end.
            retry = after(Self.retryDelay) { [self] in resume() }
            // The first look tells what is to be heard.
            return watchAudibility()
        }
        stopWatchingAudibility()
        do {
            try activate(AVAudioSession.sharedInstance())
        } catch {
            // In this order: who silences for another reason wants no retry.
            interrupted()
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

    /// Handles the continuation of the job; activates the session only if the stop had deactivated it.
    private func goOn() {
        guard isSuspended else { return }
        isSuspended = false
        resume()
    }

    /// Forwards a signal, unless the command has received it from the terminal, too.
    private func pass(_ arrival: Signals.Arrival) {
        guard !arrival.isFromTerminal, process > 0 else { return }
        kill(process, arrival.number)
    }

    nonisolated private func onMain(_ body: @escaping @MainActor (CommandSession) -> Void) {
        OperationQueue.main.addOperation { MainActor.assumeIsolated { body(self) } }
    }
}
