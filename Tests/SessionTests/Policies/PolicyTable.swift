/// The cell of each scene under each policy, which the tests prove and docs/policies.md shows.
enum PolicyTable {
    /// What is expected in a scene under a policy.
    static func cell(_ scene: PolicyScene, under policy: ServerPolicy) -> PolicyCell {
        switch scene {
        case .musicAlone, .notification, .screenReader, .promptEnds: PolicyCell(app: .full)
        case .alarm, .secondPlayer, .call: PolicyCell(app: .silent, told: ["began"], hands: [.library])
        case .alarmEnds, .callOutsideEnds, .secondPlayerEnds, .callEnds: PolicyCell(app: .full, told: ["ended 1"])
        case .callOutside: callOutside(under: policy)
        case .pausedBeforeCall: PolicyCell(app: .silent, told: ["began", "ended 1"])
        case .prompt: PolicyCell(app: .lowered, hands: [.library])
        case .gameOverMusic: PolicyCell(outside: .full, app: .full)
        case .promptOverOutside: promptOverOutside(under: policy)
        case .promptOverOutsideEnds, .callOverOutsideEnds: PolicyCell(outside: .full)
        case .callOverOutside: callOverOutside(under: policy)
        case .resumedDuringCall: resumedDuringCall(under: policy)
        case .resumedDuringCallEnds:
            PolicyCell(app: .full, told: resumedDuringCall(under: policy).told.count == 2 ? ["ended 1"] : [])
        case .startDuringCall: startDuringCall(under: policy)
        }
    }

    private static func callOutside(under policy: ServerPolicy) -> PolicyCell {
        let serverActs = policy == .roleCork || policy == .roleBased
        return PolicyCell(app: .silent, told: ["began"], hands: serverActs ? [.library, .server] : [.library])
    }

    private static func promptOverOutside(under policy: ServerPolicy) -> PolicyCell {
        policy == .roleDucking ? PolicyCell(outside: .full) : PolicyCell(outside: .lowered, hands: [.library])
    }

    private static func callOverOutside(under policy: ServerPolicy) -> PolicyCell {
        switch policy {
        case .none: PolicyCell(outside: .full)
        case .roleDucking: PolicyCell(outside: .lowered, hands: [.server])
        case .roleCork, .roleBased: PolicyCell(outside: .silent, hands: [.server])
        }
    }

    private static func resumedDuringCall(under policy: ServerPolicy) -> PolicyCell {
        switch policy {
        case .none: PolicyCell(app: .full, told: ["began"])
        case .roleDucking: PolicyCell(app: .lowered, told: ["began"], hands: [.server])
        case .roleCork, .roleBased: PolicyCell(app: .silent, told: ["began", "began"], hands: [.library, .server])
        }
    }

    private static func startDuringCall(under policy: ServerPolicy) -> PolicyCell {
        switch policy {
        case .none: PolicyCell(app: .full)
        case .roleDucking: PolicyCell(app: .lowered, hands: [.server])
        case .roleCork: PolicyCell(app: .silent, told: ["began"], hands: [.library, .server])
        case .roleBased: PolicyCell(app: .silent, told: ["refused"], hands: [.server])
        }
    }

    /// The tables of docs/policies.md.
    static var text: String {
        ServerPolicy.allCases.map { policy in
            let rows = PolicyScene.allCases.map { scene in
                "| " + ([scene.rawValue] + cell(scene, under: policy).columns).joined(separator: " | ") + " |\n"
            }
            return """
                ## \(policy == .none ? "No policy" : policy.rawValue)

                | scene | the stranger's music | the app's sound | the app is told | who acts |
                |---|---|---|---|---|
                \(rows.joined())
                """
        }.joined(separator: "\n")
    }
}
