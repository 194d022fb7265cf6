internal import AudioHost
internal import AudioSession
internal import SessionPolicy

extension AVAudioSession {
    /// Where the session's sound comes from and goes to.
    ///
    /// An output is the connector in use of the sink that the session plays on, or would play on; its name for programs
    /// is the sink's, with the connector's if the sink has several. An input is a source. While the session is active
    /// this is what was told last (``routeChangeNotification``); else the sound server is asked, for at most two
    /// seconds. Empty without one.
    ///
    /// Apple: `AVAudioSession.currentRoute`.
    public var currentRoute: AVAudioSessionRouteDescription {
        guard core.standing != .lost, let host = try? core.connected(),
            let route = try? host.route(under: core.settings)
        else { return AVAudioSessionRouteDescription(inputs: [], outputs: []) }
        return description(of: route)
    }

    // MARK: Data sources

    /// The connectors that the current input can take its sound from; nil where there is nothing to choose.
    ///
    /// Apple: `AVAudioSession.inputDataSources`.
    public var inputDataSources: [AVAudioSessionDataSourceDescription]? { currentRoute.inputs.first?.dataSources }

    /// The connector of the current input that is in use; nil where there is nothing to choose.
    ///
    /// Apple: `AVAudioSession.inputDataSource`.
    public var inputDataSource: AVAudioSessionDataSourceDescription? { currentRoute.inputs.first?.selectedDataSource }

    /// Chooses the connector of the current input, see ``AVAudioSessionPortDescription/setPreferredDataSource(_:)``.
    ///
    /// Throws an `NSError` in `NSOSStatusErrorDomain`: `badParam` (−50) for one that is not among ``inputDataSources``,
    /// `incompatibleCategory` in a category that records nothing.
    ///
    /// Apple: `AVAudioSession.setInputDataSource(_:)`.
    public func setInputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        guard core.settings.allowsInput else {
            throw NSError(SessionError(.incompatibleCategory, "Category \(category.rawValue) records nothing."))
        }
        guard let input = currentRoute.inputs.first else {
            guard let dataSource else { return }
            throw NSError(SessionError(.badParam, "There is no input to take \(dataSource.dataSourceName) of."))
        }
        try input.setPreferredDataSource(dataSource)
    }

    /// The connectors that the current output can play on by choice: always nil, each is an output of its own.
    ///
    /// Apple: `AVAudioSession.outputDataSources`.
    public var outputDataSources: [AVAudioSessionDataSourceDescription]? { nil }

    /// The connector of the current output that was chosen, see ``outputDataSources``.
    ///
    /// Apple: `AVAudioSession.outputDataSource`.
    public var outputDataSource: AVAudioSessionDataSourceDescription? { nil }

    /// Throws `badParam` (−50) for anything but nil, see ``outputDataSources``.
    ///
    /// Apple: `AVAudioSession.setOutputDataSource(_:)`.
    public func setOutputDataSource(_ dataSource: AVAudioSessionDataSourceDescription?) throws {
        guard let dataSource else { return }
        throw NSError(SessionError(.badParam, "The output has no data source \(dataSource.dataSourceName)."))
    }
}

extension AVAudioSession {
    /// A route in Apple's words.
    func description(of route: Route) -> AVAudioSessionRouteDescription {
        AVAudioSessionRouteDescription(
            inputs: route.inputs.map { description(of: $0) }, outputs: route.outputs.map { description(of: $0) })
    }

    /// A port in Apple's words.
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
        // Descriptions outlive an object that is the session's once more.
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
                if session?.isChosen(source, of: device) == true {
                    try session?.use(source.connector(for: pattern), of: device)
                }
                try session?.prefer { $0.patterns[PatternKey(device, source)] = pattern }
            })
    }

    /// Whether the app chose it, or, without a choice, the device takes its sound from there now.
    ///
    /// The route says that of a choice only a moment later, and a description that the app holds never.
    private func isChosen(_ source: RoutePort.DataSource, of device: String) -> Bool {
        if let chosen = core.preferences.dataSources[device] { return chosen == source.port }
        return currentRoute.inputs.contains { $0.uid == device && $0.selectedDataSource?.source == source }
    }

    private func use(_ connector: String?, of device: String) throws {
        do throws(SessionError) {
            try core.connected().apply(.dataSource(connector, of: device), under: core.settings)
        } catch {
            throw NSError(error)
        }
    }
}

private typealias PatternKey = SessionPreferences.PatternKey

extension RoutePort.DataSource {
    /// The connector for a pattern; without one, or for one that is gone, the one that the server names first.
    fileprivate func connector(for pattern: String?) -> String { patterns.first { $0.name == pattern }?.port ?? port }
}
