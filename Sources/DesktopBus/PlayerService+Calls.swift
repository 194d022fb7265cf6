/// The calls of peers, and their answers.
extension PlayerService {
    static let rootInterface = "org.mpris.MediaPlayer2"
    static let playerInterface = "org.mpris.MediaPlayer2.Player"
    static let properties = "org.freedesktop.DBus.Properties"
    private static let introspection = "org.freedesktop.DBus.Introspectable"

    private var rootProperties: [String: BusArgument] {
        [
            "CanQuit": .flag(false), "CanRaise": .flag(false), "HasTrackList": .flag(false),
            "Identity": .text(identity.name), "DesktopEntry": .text(identity.id), "SupportedUriSchemes": .texts([]),
            "SupportedMimeTypes": .texts([]),
        ]
    }

    private var playerProperties: [String: BusArgument] {
        let player = player
        return player.properties.merging(["Position": .long(player.position(at: Self.now))]) { $1 }
    }

    /// Answers a call, at once or after it was carried out.
    func called(_ call: BusCall) {
        let member = call.message.member ?? ""
        switch call.message.interface ?? Self.interface(of: member) {
        case Self.playerInterface: ordered(call)
        case Self.rootInterface: callRoot(member, call)
        case Self.properties: callProperties(member, call)
        case Self.introspection where member == "Introspect": call.answer([.text(Self.description)])
        case Self.introspection: call.fail(.unknownMethod, "There is no method \(member).")
        case let interface: call.fail(.unknownInterface, "There is no interface \(interface) here.")
        }
    }

    /// The interface of a method: D-Bus allows calls without one.
    private static func interface(of member: String) -> String {
        switch member {
        case "Get", "GetAll", "Set": properties
        case "Introspect": introspection
        case "Raise", "Quit": rootInterface
        default: playerInterface
        }
    }

    /// Carries out a call of the player's methods.
    func callPlayer(_ call: BusCall) {
        let member = call.message.member ?? ""
        do throws(PlayerRequest.Refusal) {
            let request = try PlayerRequest(member, call.message, to: player)
            carryOut(request, for: call)
        } catch {
            refuse(call, member, error)
        }
    }

    private func callRoot(_ member: String, _ call: BusCall) {
        switch member {
        case "Raise", "Quit": call.fail(.notSupported, "This player does not do that for others.")
        default: call.fail(.unknownMethod, "There is no method \(member).")
        }
    }

    private func callProperties(_ member: String, _ call: BusCall) {
        let message = call.message
        switch member {
        case "GetAll" where message.has(signature: "s"):
            guard let table = table(of: message.text() ?? "", call) else { return }
            call.answer([.table(table)])
        case "Get" where message.has(signature: "ss"):
            guard let table = table(of: message.text() ?? "", call) else { return }
            let name = message.text() ?? ""
            guard let value = table[name] else { return refuse(call, name, .unknownProperty) }
            call.answer([.variant(value)])
        case "Set" where message.has(signature: "ssv"): set(call)
        case "Get", "GetAll", "Set": call.fail(.invalidArguments, "\(member) takes other arguments.")
        default: call.fail(.unknownMethod, "There is no method \(member).")
        }
    }

    private func set(_ call: BusCall) {
        let interface = call.message.text() ?? ""
        let name = call.message.text() ?? ""
        guard let table = table(of: interface, call) else { return }
        guard let value = call.message.variant() else {
            return call.fail(.invalidArguments, "\(name) cannot be read.")
        }
        guard interface == Self.playerInterface else {
            return refuse(call, name, table[name] == nil ? .unknownProperty : .readOnly)
        }
        do throws(PlayerRequest.Refusal) {
            carryOut(try PlayerRequest(setting: name, to: value, of: player), for: call)
        } catch {
            refuse(call, name, error)
        }
    }

    /// The properties of an interface; for an unknown interface the call is answered with an error.
    private func table(of interface: String, _ call: BusCall) -> [String: BusArgument]? {
        switch interface {
        case Self.playerInterface: return playerProperties
        case Self.rootInterface: return rootProperties
        default:
            call.fail(.unknownInterface, "There is no interface \(interface) here.")
            return nil
        }
    }

    private func refuse(_ call: BusCall, _ name: String, _ refusal: PlayerRequest.Refusal) {
        switch refusal {
        case .invalid(let text): call.fail(.invalidArguments, text)
        case .unknownMethod: call.fail(.unknownMethod, "There is no method \(name).")
        case .unsupported(let text): call.fail(.notSupported, text)
        case .unknownProperty: call.fail(.unknownProperty, "There is no property \(name).")
        case .readOnly: call.fail(.propertyReadOnly, "\(name) cannot be set.")
        case .ignored: call.answer()
        }
    }
}
