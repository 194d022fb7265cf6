package import PulseClient

/// Everything on the sound server that the policy looks at: streams of all programs, their clients, devices and cards.
///
/// It lists everything once and then asks only for what changed. Whoever owns the connection subscribes to ``mask`` and
/// hands every event to ``received(_:)``. An idle process calls ``stop()``, and subscribes to less, so that other
/// programs do not wake it.
///
/// Use it with the main loop's lock held.
package final class StreamDirectory {
    /// How up to date the directory is.
    package enum State: Hashable, Sendable {
        /// Empty and deaf. Can move to: listing.
        case stopped
        /// The lists are on their way. Can move to: current, stopped (also when the server does not answer).
        case listing
        /// As good as the last event. Can move to: stopped.
        case current
    }

    /// Names a handler of ``onChange(_:)``.
    package struct Observation: Hashable, Sendable { fileprivate let number: Int }

    /// The kinds of objects that it wants to hear about.
    package static let mask: SubscriptionMask = [.sink, .source, .sinkInput, .sourceOutput, .client, .server, .card]
    /// How long a burst of changes is gathered before it is told; a single change is told at once.
    private static let longestBurst = Duration.milliseconds(5)

    private let connection: PulseConnection
    /// The loop whose lock guards the directory.
    var mainloop: Mainloop { connection.mainloop }
    private lazy var inputTable = StreamDirectoryTable(
        connection, index: \SinkInput.index, list: { $0.sinkInputs(completion: $1) },
        ask: { $0.sinkInput(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    private lazy var outputTable = StreamDirectoryTable(
        connection, index: \SourceOutput.index, list: { $0.sourceOutputs(completion: $1) },
        ask: { $0.sourceOutput(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    private lazy var clientTable = StreamDirectoryTable(
        connection, index: \Client.index, list: { $0.clients(completion: $1) },
        ask: { $0.client(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    private lazy var sinkTable = StreamDirectoryTable(
        connection, index: \Sink.index, list: { $0.sinks(completion: $1) },
        ask: { $0.sink(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    private lazy var sourceTable = StreamDirectoryTable(
        connection, index: \Source.index, list: { $0.sources(completion: $1) },
        ask: { $0.source(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    /// What the server says about itself, as a table with one row.
    private lazy var serverTable = StreamDirectoryTable<ServerInfo>(
        connection, index: { _ in 0 }, list: { $0.serverInfo(listed: $1) },
        ask: { connection, _, completion in connection.serverInfo(completion: completion) },
        changed: { [weak self] in self?.changed() })
    /// None of the ``parts``: cards only excuse devices that went, and neither a start nor a loss waits for that.
    private lazy var cardTable = StreamDirectoryTable(
        connection, index: \Card.index, list: { $0.cards(completion: $1) },
        ask: { $0.card(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    private var parts: [any StreamDirectoryPart] {
        [serverTable, clientTable, sinkTable, sourceTable, inputTable, outputTable]
    }
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.tell() }
    private var handlers: [Int: () -> Void] = [:]
    private var lastHandler = 0

    /// How up to date the directory is.
    package private(set) var state: State = .stopped
    /// The name of the sink that new playback streams get; `nil` while there is none.
    package private(set) var defaultSink: String? { didSet { if defaultSink != oldValue { defaultSinkChanges += 1 } } }
    /// How often that has changed.
    private(set) var defaultSinkChanges = 0
    /// The name of the source that new capture streams get; `nil` while there is none.
    package private(set) var defaultSource: String?

    /// A directory that is empty until it is started.
    package init(connection: PulseConnection) { self.connection = connection }

    /// The playback streams, by index.
    package var sinkInputs: [UInt32: SinkInput] { inputTable.objects }
    /// The capture streams, by index.
    package var sourceOutputs: [UInt32: SourceOutput] { outputTable.objects }
    /// The connections, by index; their properties are not followed any more once the process is known.
    package var clients: [UInt32: Client] { clientTable.objects }
    /// The sinks, by index.
    package var sinks: [UInt32: Sink] { sinkTable.objects }
    /// The sources, monitors among them, by index.
    package var sources: [UInt32: Source] { sourceTable.objects }
    /// The cards, but for those that have changed and are being asked; they may come later than all else.
    package var cards: [Card] { cardTable.settledObjects }
    /// The numbers of those that are Bluetooth's, the ones that are being asked among them: what they are stays.
    var bluetoothCards: Set<UInt32> {
        Set(cardTable.objects.values.filter { $0.properties["device.bus"] == "bluetooth" }.map(\.index))
    }

    // MARK: Life

    /// Lists everything; events count from now on.
    ///
    /// - Parameter completion: Told once, when the directory is current, or with the reason why it is stopped again;
    ///   not told if ``stop()`` comes first.
    package func start(completion: @escaping (Result<Void, PulseError>) -> Void = { _ in }) {
        guard state == .stopped else { return completion(.success(())) }
        state = .listing
        var missing = parts.count
        for part in parts {
            part.fill { [weak self] error in
                guard let self, self.state == .listing else { return }
                if let error {
                    self.stop()
                    return completion(.failure(error))
                }
                missing -= 1
                guard missing == 0 else { return }
                self.state = .current
                self.tell()
                completion(.success(()))
            }
        }
        guard state != .stopped else { return }
        // Last, so that what is waited for is answered before.
        cardTable.fill { [weak self] _ in self?.changed() }
    }

    /// Forgets everything, tells so, and hears nothing until the next ``start(completion:)``; handlers stay.
    package func stop() {
        guard state != .stopped else { return }
        state = .stopped
        timer.cancel()
        for part in parts + [cardTable] { part.clear() }
        defaultSink = nil
        defaultSource = nil
        tell()
    }

    /// Takes an event of the connection.
    package func received(_ event: SubscriptionEvent) {
        guard state != .stopped else { return }
        switch event.facility {
        case .sinkInput: inputTable.received(event.change, at: event.index)
        case .sourceOutput: outputTable.received(event.change, at: event.index)
        case .sink: sinkTable.received(event.change, at: event.index)
        case .source: sourceTable.received(event.change, at: event.index)
        case .server: serverTable.received(.change, at: 0)
        case .client:
            // Claims are properties of clients and change often; the process that is behind one does not.
            if event.change == .change, clients[event.index]?.process != nil { return }
            clientTable.received(event.change, at: event.index)
        case .card: cardTable.received(event.change, at: event.index)
        case .module, .sampleCache: break
        }
    }

    // MARK: Observers

    /// Has `handler` called after changes, when the lists are complete, and after ``stop()``, with the loop's lock
    /// held.
    ///
    /// It may ask and command, but not wait.
    @discardableResult
    package func onChange(_ handler: @escaping () -> Void) -> Observation {
        lastHandler += 1
        handlers[lastHandler] = handler
        return Observation(number: lastHandler)
    }

    /// Forgets a handler.
    package func remove(_ observation: Observation) { handlers[observation.number] = nil }

    /// Tells at once if nothing more is on its way, and soon otherwise.
    private func changed() {
        guard state == .current else { return }
        if parts.allSatisfy(\.isSettled) { return tell() }
        if !timer.isRunning { timer.start(after: Self.longestBurst) }
    }

    private func tell() {
        timer.cancel()
        readDefaults()
        for number in handlers.keys.sorted() { handlers[number]?() }
    }

    private func readDefaults() {
        guard let server = serverTable.objects[0] else { return }
        // PipeWire says `@DEFAULT_SINK@` for some milliseconds while devices change: the last real name is the better
        // one.
        if server.defaultSink?.hasPrefix("@") != true { defaultSink = server.defaultSink }
        if server.defaultSource?.hasPrefix("@") != true { defaultSource = server.defaultSource }
    }
}

extension PulseConnection {
    /// Asks what the server is, as a list with one item.
    fileprivate func serverInfo(listed completion: @escaping Completion<[ServerInfo]>) {
        serverInfo { completion($0.map { [$0] }) }
    }
}
