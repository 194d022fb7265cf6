internal import SessionPolicy
internal import SoundHost

extension AVAudioSession {
    /// Where the session's sound comes from and goes to.
    ///
    /// An output is the connector in use of the sink that the session plays on, or would play on; its name for programs is the
    /// sink's, with the connector's if the sink has several. An input is a source. While the session is active this is what
    /// was told last (``routeChangeNotification``); else the sound server is asked, for at most two seconds. Empty without
    /// one.
    ///
    /// Apple: `AVAudioSession.currentRoute`.
    public var currentRoute: AVAudioSessionRouteDescription {
        guard shell.state != .lost, let host = try? shell.connected(),
            let route = try? host.route(under: shell.settings)
        else { return AVAudioSessionRouteDescription(inputs: [], outputs: []) }
        return shell.description(of: route)
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
        guard shell.settings.allowsInput else {
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

extension SessionShell {
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
        let sources = port.dataSources.enumerated().map {
            AVAudioSessionDataSourceDescription($1, number: $0 + 1)
        }
        return AVAudioSessionPortDescription(
            portType: AVAudioSession.Port(rawValue: port.kind.rawValue), portName: port.name, uid: port.uid,
            channels: channels, dataSources: sources.isEmpty ? nil : sources,
            selectedDataSource: sources.first { $0.port == port.selectedDataSource },
            chooser: sources.isEmpty ? nil : chooser(of: port.device))
    }

    private func chooser(of source: String) -> AVAudioSessionPortDescription.Chooser {
        .init(
            preferred: { [weak self] in self?.preferences.dataSources[source] },
            choose: { [weak self] port in
                guard let self else { return }
                do throws(SessionError) {
                    try connected().setDataSource(port, of: source)
                } catch {
                    throw NSError(error)
                }
                prefer { $0.dataSources[source] = port }
            })
    }
}
