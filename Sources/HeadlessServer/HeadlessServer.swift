package import Foundation
internal import Locks

/// A private sound server on null sinks, for tests, demonstrations and machines without a sound card.
///
/// It has its own folder, home, runtime directory and socket, and shares nothing with the user's server. It ends at
/// `stop()`, with the last reference, or when this process ends or is killed. All members can be called on any thread;
/// `start` and `restart` block for tens of milliseconds (PulseAudio) or some hundred (PipeWire).
package final class HeadlessServer: Sendable {
    /// The servers that can be started.
    package enum Kind: String, CaseIterable, Sendable {
        /// PulseAudio's own daemon.
        case pulseAudio
        /// PipeWire with WirePlumber and pipewire-pulse.
        case pipeWire
    }

    /// A sink without hardware, whose monitor delivers what was played.
    package struct NullSink: Sendable {
        /// The sink's name; its monitor is called `<name>.monitor`.
        package var name: String
        /// The sample rate in Hz; PipeWire's graph runs at the rate of the first sink.
        package var rate: Int
        /// The number of channels.
        package var channels: Int
        /// PulseAudio's name of the sample format; PipeWire always mixes in 32-bit float.
        package var format: String
        /// Whether the sink rewinds audio that it has rendered ahead (PulseAudio only).
        ///
        /// The monitor of such a sink contains the audio that was rewound, and lacks the first milliseconds of a
        /// stream.
        /// Default: false.
        package var rewinds: Bool
        /// Further properties as PulseAudio writes them, such as `device.description='Desk speaker'`.
        package var properties: String

        /// The channel positions in PipeWire's notation, the same on both servers, whose defaults differ.
        var positions: [String] {
            let usual = [
                ["MONO"], ["FL", "FR"], ["FL", "FR", "FC"], ["FL", "FR", "RL", "RR"], ["FL", "FR", "FC", "RL", "RR"],
                ["FL", "FR", "FC", "LFE", "RL", "RR"],
            ]
            return usual.indices.contains(channels - 1) ? usual[channels - 1] : (0..<channels).map { "AUX\($0)" }
        }

        /// The channel positions in PulseAudio's notation.
        package var channelMap: String {
            let names = [
                "MONO": "mono", "FL": "front-left", "FR": "front-right", "FC": "front-center", "LFE": "lfe",
                "RL": "rear-left", "RR": "rear-right",
            ]
            return positions.map { names[$0] ?? $0.lowercased() }.joined(separator: ",")
        }

        /// Describes a sink; the defaults are those of a compact disc.
        package init(
            name: String = "test_out", rate: Int = 44_100, channels: Int = 2, format: String = "s16le",
            rewinds: Bool = false, properties: String = ""
        ) {
            self.name = name
            self.rate = rate
            self.channels = channels
            self.format = format
            self.rewinds = rewinds
            self.properties = properties
        }
    }

    /// The kind of server.
    package let kind: Kind
    /// The private folder, readable by this user only; removed with the server.
    package let directory: URL
    /// The server's version, such as `16.1`.
    package let version: String

    private let recipe: any ServerRecipe
    /// Held while programs are started or ended; taken before that of `state`.
    private let operations = NSLock()
    private let state: Guarded<State>

    private struct State {
        var supervisor: Supervisor?
        var running: [pid_t] = []
        var lastLog = ""
    }

    /// Starts a server; blocks until it accepts connections and has its sinks.
    ///
    /// The first sink is the default. The default source is its monitor, so that a recorder records what is played.
    /// - Parameter modules: further modules with their arguments, such as `module-role-cork`, loaded by name through
    ///   the server's own start script (pipewire-pulse knows only some of PulseAudio's).
    /// - Parameter policy: A configuration of WirePlumber 0.5 beside its own, as a file's text; PulseAudio and WirePlumber 0.4
    ///   take no notice of it.
    /// - Throws: `HeadlessServerError` when a program is missing or the server does not come up within ten seconds,
    ///   twice.
    package static func start(
        _ kind: Kind, sinks: [NullSink] = [NullSink()], modules: [String] = [], policy: String? = nil
    ) throws -> HeadlessServer {
        try HeadlessServer(kind, sinks: sinks, modules: modules, policy: policy)
    }

    /// The path of a program on the system, else among the servers unpacked by `make setup`; nil if there is neither.
    package static func findBinary(_ name: String) -> URL? {
        ServerPrograms.find(name)
    }

    /// The server's address, to be used as `PULSE_SERVER`.
    package var address: String { "unix:" + recipe.folder.socket }

    /// The environment variables with which a child process reaches this server and nothing of the user's session.
    package var environment: [String: String] { recipe.folder.clientEnvironment }

    /// The environment of the servers' own tools (`pactl`, `parec`, `pw-cli`), which may need unpacked libraries.
    package var toolEnvironment: [String: String] { recipe.folder.serverEnvironment }

    /// The output of the server's programs so far, also after `stop()`.
    package var log: String {
        state.withLock { $0.supervisor == nil ? $0.lastLog : readLog() }
    }

    /// The process ids of the server's programs: PulseAudio's one, or those of PipeWire, WirePlumber and
    /// pipewire-pulse.
    package var processIDs: [Int32] {
        state.withLock { $0.running }
    }

    private init(_ kind: Kind, sinks: [NullSink], modules: [String], policy: String?) throws {
        let (folder, supervisor) = try Self.beginning()
        self.kind = kind
        directory = URL(fileURLWithPath: folder.path, isDirectory: true)
        switch kind {
        case .pulseAudio: recipe = PulseAudioRecipe(folder: folder, sinks: sinks, modules: modules)
        case .pipeWire: recipe = PipeWireRecipe(folder: folder, sinks: sinks, modules: modules, policy: policy)
        }
        do {
            try recipe.prepare()
            version = try supervisor.run(recipe.versionCommand)
            let running = try recipe.start(under: supervisor, version: version)
            state = Guarded(State(supervisor: supervisor, running: running))
        } catch {
            supervisor.end()
            throw error
        }
    }

    /// A callback for tests, called with the path of a server's folder before the supervisor that removes it exists.
    @TaskLocal package static var folderMade: @Sendable (String) -> Void = { _ in }

    /// Creates a folder, and the supervisor that removes it, also if the rest of the start fails.
    ///
    /// A signal that ends this process arrives before both or after both, unless another thread handles it.
    private static func beginning() throws -> (ServerFolder, Supervisor) {
        var (ending, before) = (sigset_t(), sigset_t())
        sigemptyset(&ending)
        for signal in [SIGHUP, SIGINT, SIGQUIT, SIGTERM] { sigaddset(&ending, signal) }
        pthread_sigmask(SIG_BLOCK, &ending, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        let folder = try ServerFolder()
        folderMade(folder.path)
        return (folder, try Supervisor(folder: folder))
    }

    deinit {
        stop()
    }

    /// Ends the server and removes its folder; blocks until both are done, and does nothing the second time.
    package func stop() {
        operations.lock()
        defer { operations.unlock() }
        state.withLock { state in
            guard let supervisor = state.supervisor else { return }
            state.lastLog = readLog()
            supervisor.end()
            state.supervisor = nil
            state.running = []
        }
    }

    /// Kills the server's programs as a crash would: the folder, its socket path and the state files stay.
    package func kill() {
        operations.lock()
        defer { operations.unlock() }
        state.withLock {
            _ = try? $0.supervisor?.run("kill_all")
            $0.running = []
        }
    }

    /// Restarts the server at the same address, and kills it first if it still runs.
    ///
    /// - Parameter beforePolicy: Run on PipeWire before WirePlumber is started: until it returns, clients can connect,
    ///   and find no default device.
    /// - Throws: `HeadlessServerError` after `stop()`, or when the server does not come up.
    package func restart(beforePolicy: () -> Void = {}) throws {
        try operations.withLock {
            guard let supervisor = state.withLock({ $0.supervisor }) else {
                throw HeadlessServerError("the headless server was stopped for good")
            }
            _ = try supervisor.run("kill_all")
            let started = try recipe.start(
                under: supervisor, version: version, isAwaited: true, beforePolicy: beforePolicy)
            state.withLock { $0.running = started }
        }
    }

    /// Kills PipeWire's session manager, which then is absent until ``startPolicy()``; the rest of the server runs on.
    package func killPolicy() {
        operations.withLock {
            state.withLock { state in
                guard let index = recipe.policyIndex, state.running.indices.contains(index) else { return }
                _ = Foundation.kill(state.running[index], SIGKILL)
            }
        }
    }

    /// Starts PipeWire's session manager again after ``killPolicy()``; does not wait until it is ready.
    ///
    /// - Throws: `HeadlessServerError` after `stop()`, and on PulseAudio, which has none.
    package func startPolicy() throws {
        try operations.withLock {
            guard let supervisor = state.withLock({ $0.supervisor }), let index = recipe.policyIndex else {
                throw HeadlessServerError("the headless server has no session manager")
            }
            let started = try recipe.launchPolicy(under: supervisor)
            state.withLock { state in
                if state.running.indices.contains(index) { state.running[index] = started }
            }
        }
    }

    /// Freezes the server's programs (SIGSTOP): connections stay open and nothing answers.
    package func suspendProcess() {
        signalAll(SIGSTOP)
    }

    /// Freezes one of the server's programs (SIGSTOP), by its index: PulseAudio has one; PipeWire has PipeWire itself,
    /// WirePlumber and pipewire-pulse, in this order.
    package func suspendProgram(at index: Int) {
        state.withLock { if $0.running.indices.contains(index) { _ = Foundation.kill($0.running[index], SIGSTOP) } }
    }

    /// Resumes a frozen server (SIGCONT).
    package func resumeProcess() {
        signalAll(SIGCONT)
    }

    private func signalAll(_ signal: Int32) {
        state.withLock {
            for process in $0.running { _ = Foundation.kill(process, signal) }
        }
    }

    private func readLog() -> String {
        (try? String(contentsOfFile: recipe.folder.log, encoding: .utf8)) ?? ""
    }
}
