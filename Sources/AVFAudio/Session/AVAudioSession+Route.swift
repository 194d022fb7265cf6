internal import AudioHost
internal import AudioSession
internal import Locks
internal import SessionPolicy

extension AVAudioSession {
    /// The session's inputs and outputs.
    ///
    /// Any thread. An output is the port in use of the sink that the session plays on or would play on. Its identifier
    /// is the sink's name, followed by the port's if the sink has several. An input is a source. An active session
    /// returns the last reported route (``routeChangeNotification``) at once. Otherwise the property waits for the
    /// sound server, for 2 s at most. Empty without a server.
    ///
    /// Apple: `AVAudioSession.currentRoute`.
    public var currentRoute: AVAudioSessionRouteDescription {
        let settings = core.settings
        guard core.standing != .lost,
            let route = try? core.ask({ host throws(SessionError) in try host.route(under: settings) })
        else { return AVAudioSessionRouteDescription(inputs: [], outputs: []) }
        return description(of: route)
    }

    // MARK: Data sources

    /// The connectors of the current input to choose from; nil if there is no choice.
    ///
    /// Any thread. Waits for the sound server like ``currentRoute``.
    ///
    /// Apple: `AVAudioSession.inputDataSources`.
    public var inputDataSources: [AVAudioSessionDataSourceDescription]? { currentRoute.inputs.first?.dataSources }

    /// The connector in use of the current input; nil if there is no choice.
    ///
    /// Any thread. Waits for the sound server like ``currentRoute``.
    ///
    /// Apple: `AVAudioSession.inputDataSource`.
    public var inputDataSource: AVAudioSessionDataSourceDescription? { currentRoute.inputs.first?.selectedDataSource }

    /// Sets the connector of the current input, see ``AVAudioSessionPortDescription/setPreferredDataSource(_:)``.
    ///
    /// Any thread. Waits for the sound server, for 2 s at most for the route and the change together. Throws
    /// an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for a connector that is not among
    /// ``inputDataSources``, `incompatibleCategory` in a category that does not record, `resourceNotAvailable` if the
    /// device is gone, `mediaServicesFailed` without a server.
    ///
    /// Apple: `AVAudioSession.setInputDataSource(_:)`.
    public func setInputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        guard core.settings.allowsInput else {
            throw NSError(SessionError(.incompatibleCategory, "Category \(category.rawValue) records nothing."))
        }
        try CallDeadline.share {
            guard let input = currentRoute.inputs.first else {
                guard let dataSource else { return }
                throw NSError(SessionError(.badParam, "There is no input to take \(dataSource.dataSourceName) of."))
            }
            try input.setPreferredDataSource(dataSource)
        }
    }

    /// The connectors of the current output to choose from: always nil, because each connector is an output of its own.
    ///
    /// Apple: `AVAudioSession.outputDataSources`.
    public var outputDataSources: [AVAudioSessionDataSourceDescription]? { nil }

    /// The chosen connector of the current output: always nil, see ``outputDataSources``.
    ///
    /// Apple: `AVAudioSession.outputDataSource`.
    public var outputDataSource: AVAudioSessionDataSourceDescription? { nil }

    /// Throws `badParam` (−50) for every value but nil, see ``outputDataSources``.
    ///
    /// Apple: `AVAudioSession.setOutputDataSource(_:)`.
    public func setOutputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        guard let dataSource else { return }
        throw NSError(SessionError(.badParam, "The output has no data source \(dataSource.dataSourceName)."))
    }
}

extension AVAudioSession {
    /// Converts a route to Apple's description.
    func description(of route: Route) -> AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription(
            inputs: route.inputs.map { description(of: $0) }, outputs: route.outputs.map { description(of: $0) })
    }

    /// Converts a port to Apple's description.
    func description(of port: RoutePort) -> AVAudioSessionPortDescription {
        let channels = port.channels.enumerated().map { index, label in
            AVAudioSessionChannelDescription(
                channelName: "\(port.name) \(index + 1)", owningPortUID: port.uid, channelNumber: index + 1,
                channelLabel: label)
        }
        let chooser = port.dataSources.isEmpty ? nil : chooser(of: port)
        let sources = port.dataSources.map {
            AVAudioSessionDataSourceDescription($0, activePort: port.selectedDataSource, chooser: chooser)
        }
        return AVAudioSessionPortDescription(
            portType: AVAudioSession.Port(rawValue: port.kind.rawValue), portName: port.name, uid: port.uid,
            channels: channels, dataSources: sources.isEmpty ? nil : sources,
            selectedDataSource: sources.first(where: \.isActive), chooser: chooser)
    }

    private func chooser(of port: RoutePort) -> AVAudioSessionPortDescription.Chooser {
        let device = port.device
        // The session of this process may be reached through a temporary object, which descriptions outlive.
        let session = relay.session ?? self
        return .init(
            preferred: { [weak session] in session?.core.preferences.dataSources[device] },
            choose: { [weak session] source in
                let pattern = source.flatMap { session?.core.preferences.patterns[PatternKey(device, $0)] }
                try session?.use(source.map { $0.connector(for: pattern) }, of: device)
                try session?.prefer { $0.dataSources[device] = source?.port }
            },
            preferredPattern: { [weak session] source in
                session?.core.preferences.patterns[PatternKey(device, source)]
            },
            choosePattern: { [weak session] source, pattern in
                try CallDeadline.share {
                    guard session?.isChosen(source, of: device) == true else { return }
                    try session?.use(source.connector(for: pattern), of: device)
                }
                try session?.prefer { $0.patterns[PatternKey(device, source)] = pattern }
            })
    }

    /// Whether a data source is the app's choice or, without one, the one in use.
    ///
    /// The route shows a choice only a moment later, and a description that the app holds never does.
    private func isChosen(_ source: RoutePort.DataSource, of device: String) -> Bool {
        if let chosen = core.preferences.dataSources[device] { return chosen == source.port }
        return currentRoute.inputs.contains { $0.uid == device && $0.selectedDataSource?.source == source }
    }

    private func use(_ connector: String?, of device: String) throws {
        let settings = core.settings
        do throws(SessionError) {
            try core.ask { host throws(SessionError) in
                try host.apply(.dataSource(connector, of: device), under: settings)
            }
        } catch {
            throw NSError(error)
        }
    }
}

private typealias PatternKey = SessionPreferences.PatternKey

extension RoutePort.DataSource {
    /// The connector for a pattern; without a known pattern, the one that the server lists first.
    fileprivate func connector(for pattern: String?) -> String { patterns.first { $0.name == pattern }?.port ?? port }
}
