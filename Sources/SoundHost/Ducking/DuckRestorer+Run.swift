internal import Glibc
internal import PulseClient
internal import SessionPolicy

// The main function of the guard process.

extension DuckRestorer {
    /// The time for other processes of the library to take over before the guard restores streams itself.
    private static let takeoverDelay = Duration.seconds(2)
    /// The limit for attempts to reach a server that does not answer, or refuses further clients.
    private static let timeout = Duration.seconds(120)

    /// Runs the guard (`audiosession guard`) and returns its exit status.
    ///
    /// Blocks until the watched process reports that all streams are restored, or dies and the guard has restored them. The
    /// guard also restores them while the watched process is stopped.
    ///
    /// - Parameter input: The socket from the watched process: standard input.
    package static func run(input: Int32 = 0) -> Int32 {
        guard getenv(HelperProcess.mark) != nil else { return detach(input) }
        chdir("/")
        var watched = WatchedProcess(input: input)
        while watched.listen() {
            // A stopped process must not leave others lowered; it lowers them again and sends its ledger when it
            // continues. Mutes would not come again.
            if watched.hasStopped, let ledger = watched.ledger, mutes(in: ledger).isEmpty {
                _ = giveBack(ledger, on: watched.server)
            }
        }
        guard let ledger = watched.ledger, !ledger.isEmpty else { return 0 }
        return persist { giveBack(ledger, on: watched.server) } ? 0 : 1
    }

    /// Retries until there is an outcome, since no other process may ever restore the streams.
    private static func persist(_ attempt: () -> Bool?) -> Bool {
        let end = ContinuousClock.now + timeout
        var pauses = ReconnectPolicy()
        while true {
            if let isDone = attempt() { return isDone }
            guard ContinuousClock.now < end else { return false }
            usleep(useconds_t(pauses.next() / .microseconds(1)))
        }
    }

    /// Starts the real guard, which is then not a child of the app and has none of its open files.
    private static func detach(_ input: Int32) -> Int32 {
        closeStrayFiles()
        guard let own = realpath("/proc/self/exe", nil) else { return 1 }
        defer { free(own) }
        let command = [String(cString: own)] + CommandLine.arguments.dropFirst()
        return HelperProcess.start(command, input: input, detached: "1") == nil ? 1 : 0
    }

    /// Closes on exec what the app opened without `O_CLOEXEC`: the reader of a pipe among it would never see its end.
    private static func closeStrayFiles() {
        guard let folder = opendir("/proc/self/fd") else { return }
        var files: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if let file = Int32(name), file > 2 { files.append(file) }
        }
        closedir(folder)
        for file in files { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    }

    // MARK: The rescue

    private static func giveBack(_ ledger: DuckLedger, on server: String?) -> Bool? {
        rescue(ledger, on: server) { connection, info throws(PulseError) in
            // Mutes stand in no file: no other process knows of them.
            let mutes = mutes(in: ledger)
            for stream in mutes { try unmute(stream, connection) }
            guard mutes.count < ledger.records.count else { return true }
            let file = DuckLedgerFile(server: info.cookie)
            // A process that writes the file from here on has taken over.
            let revision = file?.load()?.revision ?? 0
            guard try isLeftAlone(ledger, file, connection) else { return true }
            if info.isPipeWire {
                guard SoftVolumes.giveBack(ledger, onServer: connection.serverAddress) else {
                    // PipeWire itself is out of reach for now.
                    throw PulseError(.connectionTerminated, in: "pw_context_connect")
                }
                // Without this the next process would restore the streams again.
                let done = DuckLedger(server: info.cookie, owner: connection.clientIndex ?? 0, revision: revision + 1)
                _ = file?.commit(done, expecting: revision)
                return true
            }
            return giveBack(ledger, file, connection)
        }
    }

    /// The streams that the dead process had muted, rather than lowered.
    private static func mutes(in ledger: DuckLedger) -> [UInt32] {
        ledger.records.filter { $0.record == .mute }.map(\.stream)
    }

    private static func unmute(_ stream: UInt32, _ connection: isolated PulseConnection) throws(PulseError) {
        let answer = Result { () throws(PulseError) in
            try connection.answerAndWait("pa_context_set_sink_input_mute") {
                connection.setSinkInputMute(false, at: stream, completion: $0)
            }
        }
        // One that has ended meanwhile is an error, and none of ours.
        if case .failure(let error) = answer, error.code != .noSuchEntity { throw error }
    }

    /// Connects to the server of a dead process's streams and runs `work`; true if that server is gone, nil if it does
    /// not answer.
    private static func rescue(
        _ ledger: DuckLedger, on server: String?,
        _ work: @Sendable (isolated PulseConnection, ServerInfo) throws(PulseError) -> Bool?
    ) -> Bool? {
        do throws(PulseError) {
            let connection = try PulseConnection(
                name: "audiosession guard", properties: ["application.id": "audiosession"])
            return try connection.sync { connection throws(PulseError) in
                try connection.connectAndWait(to: server)
                let info = try connection.answerAndWait("pa_context_get_server_info") {
                    connection.serverInfo(completion: $0)
                }
                // Another run of the server knows nothing of these streams.
                return info.cookie == ledger.server ? try work(connection, info) : true
            }
        } catch {
            // Without the server there is nothing lowered either.
            return error.code == .connectionRefused ? true : nil
        }
    }

    private static func giveBack(
        _ ledger: DuckLedger, _ file: DuckLedgerFile?, _ connection: isolated PulseConnection
    ) -> Bool? {
        let mainloop = connection.mainloop
        let ducker = PulseDucker(connection: connection, server: ledger.server, file: file)
        ducker.onIdle = { mainloop.signal() }
        ducker.onDeposed = { _ in mainloop.signal() }
        let settings = ForeignDucking.Settings(UserSettings.current.policy)
        ducker.apply([:], newborn: [], gain: settings.gain, ramps: settings.ramps)
        ducker.adopt([ledger])
        // A server that hangs in the middle of it is asked once more.
        return mainloop.wait(timeout: settings.ramps.up + .seconds(5)) { ducker.isIdle } ? true : nil
    }

    /// Whether no other process restores the dead process's streams.
    private static func isLeftAlone(
        _ ledger: DuckLedger, _ file: DuckLedgerFile?, _ connection: isolated PulseConnection
    ) throws(PulseError) -> Bool {
        let deadline = ContinuousClock.now + takeoverDelay
        while true {
            // An older revision than that of our ledger says nothing: the file could not be written, as on a full disk.
            if let now = file?.load(), now.revision >= ledger.revision, now.isEmpty || now.owner != ledger.owner {
                return false
            }
            let clients = try connection.answerAndWait("pa_context_get_client_info_list") {
                connection.clients(completion: $0)
            }
            // A stopped process restores nothing, whatever its ledger says.
            let others = clients.filter { $0.index != ledger.owner && !$0.isStopped }
            // Where the file is not shared, the property tells.
            if others.contains(where: { $0.ledger?.isEmpty == false }) { return false }
            let isAnybodyThere = others.contains { $0.claim?.canDuck ?? false }
            guard isAnybodyThere, ContinuousClock.now < deadline else { return true }
            _ = connection.mainloop.wait(timeout: .milliseconds(50)) { false }
        }
    }
}

extension Client {
    /// The ledger that the process has published.
    fileprivate var ledger: DuckLedger? { properties["avaudiosession.ducked"].flatMap { DuckLedger($0) } }

    /// The claim that the process has published.
    fileprivate var claim: Claim? { properties[Claim.property].flatMap { Claim($0) } }

    /// Whether the process is known to be stopped; false for one of another machine.
    fileprivate var isStopped: Bool {
        guard let claim, claim.host == ProcessGlance.hostName, claim.pid > 0 else { return false }
        return StoppedProcesses.isStopped(claim.pid)
    }
}
