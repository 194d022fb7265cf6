internal import PulseClient
internal import SessionPolicy

// The output that sessions with a long-form policy share, see `SharedChoice`.
extension PulseHost {
    /// The user chose an output in this app, which is to be that of all long programmes.
    func share(_ port: String?) {
        // It is left to the server anyway, also in an app that says so before it plays at all.
        guard port != nil || sharedChoice?.port != nil else { return publishChoice() }
        let choice = SharedChoice(port, after: sharedChoice)
        sharedChoice = choice
        publishChoice()
    }

    /// Some client says what it knows of the choice.
    func choiceSeen(_ properties: PropertyList?) {
        guard let choice = properties?[SharedChoice.property].flatMap(SharedChoice.init) else { return }
        if let known = sharedChoice, choice <= known { return }
        sharedChoice = choice
        guard isLongForm else { return }
        publishChoice()
        surroundings?.routes.happened(.devices)
    }

    /// Says which choice we know.
    func publishChoice() {
        guard let choice = sharedChoice, let connection = try? readyConnection() else { return }
        connection.sync { $0.updateProperties([SharedChoice.property: choice.encoded]) }
    }
}
