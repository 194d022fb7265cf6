package import PulseClient

/// The objects of the sound server that the policy needs: streams of all programs, their clients, devices and cards.
///
/// It lists all objects once, and then fetches only the changed ones. The connection's owner subscribes to ``mask`` and
/// passes every event to ``received(_:)``. An idle process calls ``startDevices()`` and subscribes to ``deviceMask``, so
/// that other programs' streams do not wake it up.
///
/// Use it with the main loop's lock held.
package final class StreamDirectory {
    /// The directory's progress.
    package enum State: Hashable, Sendable {
        /// Empty, and ignores events. Can move to: listing, listingDevices.
        case stopped
        /// Listing the devices, while the streams and clients are not needed. Can move to: devices, listing, stopped
        /// (also if the server does not answer).
        case listingDevices
        /// Complete as for devices: without streams and clients, and without changes that a route does not show. Can
        /// move to: listing, stopped.
        case devices
        /// Listing the objects; devices that were known stay so. Can move to: current, listingDevices, stopped (also if
        /// the server does not answer).
        case listing
        /// Complete, as of the last answers. Can move to: devices, stopped.
        case current
    }

    /// Identifies a handler of ``onChange(_:)``.
    package struct Observation: Hashable, Sendable { fileprivate let number: Int }

    /// The kinds of objects that the directory needs events for.
    package static let mask: SubscriptionMask = [.sink, .source, .sinkInput, .sourceOutput, .client, .server, .card]
    /// The kinds of objects that the devices alone need events for.
    package static let deviceMask: SubscriptionMask = [.sink, .source, .server, .card]
    /// The longest time for which a burst of changes is collected; a single change is reported at once.
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
    /// The server's facts, as a table with one row.
    private lazy var serverTable = StreamDirectoryTable<ServerInfo>(
        connection, index: { _ in 0 }, list: { $0.serverInfo(listed: $1) },
        ask: { connection, _, completion in connection.serverInfo(completion: completion) },
        changed: { [weak self] in self?.changed() })
    /// Not one of the ``parts``: cards only explain missing devices, so no start and no report waits for them.
    private lazy var cardTable = StreamDirectoryTable(
        connection, index: \Card.index, list: { $0.cards(completion: $1) },
        ask: { $0.card(at: $1, completion: $2) }, changed: { [weak self] in self?.changed() })
    private var parts: [any StreamDirectoryPart] { deviceParts + streamParts }
    private var deviceParts: [any StreamDirectoryPart] { [serverTable, sinkTable, sourceTable] }
    private var streamParts: [any StreamDirectoryPart] { [clientTable, inputTable, outputTable] }
    private lazy var timer = MainloopTimer(mainloop: connection.mainloop) { [weak self] in self?.tell() }
    private var handlers: [Int: () -> Void] = [:]
    private var lastHandler = 0

    /// The directory's progress.
    package private(set) var state: State = .stopped
    /// The name of the sink for new playback streams; nil without one.
    package private(set) var defaultSink: String? { didSet { if defaultSink != oldValue { defaultSinkChanges += 1 } } }
    /// The number of changes of ``defaultSink``.
    private(set) var defaultSinkChanges = 0
    /// The name of the source for new capture streams; nil without one.
    package private(set) var defaultSource: String?
    /// Whether PipeWire's session manager has gone, which takes its devices along; false while the clients are not known.
    private(set) var lacksManager = false
    private var hasMetManager = false

    /// Creates an empty, stopped directory.
    package init(connection: PulseConnection) { self.connection = connection }

    /// The playback streams, by index.
    package var sinkInputs: [UInt32: SinkInput] { inputTable.objects }
    /// The capture streams, by index.
    package var sourceOutputs: [UInt32: SourceOutput] { outputTable.objects }
    /// The clients, by index; their properties are not updated once the process is known.
    package var clients: [UInt32: Client] { clientTable.objects }
    /// The sinks, by index.
    package var sinks: [UInt32: Sink] { sinkTable.objects }
    /// The sources, monitors among them, by index.
    package var sources: [UInt32: Source] { sourceTable.objects }
    /// The cards, except those whose change is being fetched; they may come later than all else.
    package var cards: [Card] { cardTable.settledObjects }
    /// The indexes of Bluetooth cards, including those being fetched: a card's kind does not change.
    var bluetoothCards: Set<UInt32> {
        Set(cardTable.objects.values.filter { $0.properties["device.bus"] == "bluetooth" }.map(\.index))
    }

    // MARK: Life

    /// Lists all objects; events count from now on.
    ///
    /// - Parameter completion: Called once when the directory is current, or with the error that stopped it. Not called
    ///   if ``stop()`` comes first.
    package func start(completion: @escaping (Result<Void, PulseError>) -> Void = { _ in }) {
        guard state != .listing, state != .current else { return completion(.success(())) }
        // The devices too: changes of them may have been passed over.
        fill(parts, during: .listing, then: .current, completion: completion)
    }

    /// Keeps the devices only, and lists them if they are not known; the streams and clients are forgotten.
    ///
    /// Changes of devices that a route does not show are passed over, as of the state of a sink with one connector,
    /// which changes whenever any program begins or stops to play.
    package func startDevices() {
        switch state {
        case .listingDevices, .devices: break
        case .stopped, .listing:
            for part in streamParts { part.clear() }
            fill(deviceParts, during: .listingDevices, then: .devices) { _ in }
        case .current:
            for part in streamParts { part.clear() }
            state = .devices
            tell()
        }
    }

    private func fill(
        _ parts: [any StreamDirectoryPart], during listing: State, then complete: State,
        completion: @escaping (Result<Void, PulseError>) -> Void
    ) {
        state = listing
        var missing = parts.count
        for part in parts {
            part.fill { [weak self] error in
                guard let self, self.state == listing else { return }
                if let error {
                    self.stop()
                    return completion(.failure(error))
                }
                missing -= 1
                guard missing == 0 else { return }
                self.state = complete
                self.tell()
                completion(.success(()))
            }
        }
        guard state != .stopped else { return }
        // Last, so that the parts that are waited for are answered before.
        cardTable.fill { [weak self] _ in self?.changed() }
    }

    /// Clears the directory, calls the handlers, and ignores events until the next ``start(completion:)``.
    package func stop() {
        guard state != .stopped else { return }
        state = .stopped
        timer.cancel()
        for part in parts + [cardTable] { part.clear() }
        defaultSink = nil
        defaultSource = nil
        tell()
    }

    /// Handles an event of the connection.
    package func received(_ event: SubscriptionEvent) {
        guard state != .stopped, !isPassedOver(event) else { return }
        switch event.facility {
        case .sinkInput: inputTable.received(event.change, at: event.index)
        case .sourceOutput: outputTable.received(event.change, at: event.index)
        case .sink: sinkTable.received(event.change, at: event.index)
        case .source: sourceTable.received(event.change, at: event.index)
        case .server: serverTable.received(.change, at: 0)
        case .client:
            // Clients change often, as claims are their properties, but their process does not change.
            if event.change == .change, clients[event.index]?.process != nil { return }
            clientTable.received(event.change, at: event.index)
        case .card: cardTable.received(event.change, at: event.index)
        case .module, .sampleCache: break
        }
    }

    /// Whether an event changes nothing in the devices alone.
    private func isPassedOver(_ event: SubscriptionEvent) -> Bool {
        guard state == .devices || state == .listingDevices else { return false }
        return switch event.facility {
        case .sink: event.change == .change && sinks[event.index].map { $0.ports.count < 2 } == true
        case .source: event.change == .change && sources[event.index].map { $0.ports.count < 2 } == true
        case .server, .card: false
        case .sinkInput, .sourceOutput, .client, .module, .sampleCache: true
        }
    }

    /// The sink with a name; nil without it.
    func sink(named name: String?) -> Sink? { sinks.values.first { $0.name == name } }

    // MARK: Observers

    /// Adds a handler, called after changes, when the lists are complete, and after ``stop()``, with the loop's lock
    /// held.
    ///
    /// It can send requests and commands, but must not wait.
    @discardableResult
    package func onChange(_ handler: @escaping () -> Void) -> Observation {
        lastHandler += 1
        handlers[lastHandler] = handler
        return Observation(number: lastHandler)
    }

    /// Removes a handler.
    package func remove(_ observation: Observation) { handlers[observation.number] = nil }

    /// Calls the handlers at once if no answer is pending, and soon otherwise.
    private func changed() {
        guard state == .current || state == .devices else { return }
        if parts.allSatisfy(\.isSettled) { return tell() }
        if !timer.isRunning { timer.start(after: Self.longestBurst) }
    }

    private func tell() {
        timer.cancel()
        readDefaults()
        lookForManager()
        for number in handlers.keys.sorted() { handlers[number]?() }
    }

    private func lookForManager() {
        let isThere = clients.values.contains { $0.properties["wireplumber.daemon"] == "true" }
        hasMetManager = state == .current && (hasMetManager || isThere)
        lacksManager = hasMetManager && !isThere
    }

    private func readDefaults() {
        guard let server = serverTable.objects[0] else { return }
        // PipeWire reports `@DEFAULT_SINK@` for some milliseconds while devices change: the last real name is kept.
        if server.defaultSink?.hasPrefix("@") != true { defaultSink = server.defaultSink }
        if server.defaultSource?.hasPrefix("@") != true { defaultSource = server.defaultSource }
    }
}

extension PulseConnection {
    /// Fetches the server's facts, as a list with one element.
    fileprivate func serverInfo(listed completion: @escaping Completion<[ServerInfo]>) {
        serverInfo { completion($0.map { [$0] }) }
    }
}
