import SessionPolicy
import TestSupport
import Testing

/// Changing the mode alone and changing the category without a mode.
@Suite("Changes of settings", .limited)
struct SettingsChangeTests {
    @Test("setMode with a mode that the category does not allow is badParam (2.3.3)", arguments: MatrixTable.rows)
    func illegalMode(_ row: MatrixTable.Row) throws {
        let settings = try SessionSettings.validated(category: row.category)
        if row.settable == nil || row.mode == .dualRoute {
            let error = #expect(throws: SessionError.self) { try settings.settingMode(row.mode) }
            #expect(error?.code == .badParam)
        } else {
            #expect(try settings.settingMode(row.mode).mode == row.mode)
        }
    }

    @Test("setMode keeps the options that the new mode allows (2.3.6)")
    func keepsOptions() throws {
        let asked: CategoryOptions = [
            .mixWithOthers, .defaultToSpeaker, .allowBluetoothA2DP, .bluetoothHighQualityRecording,
        ]
        let settings = try SessionSettings.validated(category: .playAndRecord, options: asked)
        let chat = try settings.settingMode(.gameChat)
        #expect(chat.options == [.mixWithOthers, .defaultToSpeaker, .allowBluetoothA2DP])
    }

    @Test("What a mode brought leaves with it, what the app asked for stays (2.3.6)")
    func dropsImplied() throws {
        let implied = try SessionSettings.validated(category: .playAndRecord, mode: .videoChat)
        #expect(try implied.settingMode(.default).options == [])
        let explicit = try SessionSettings.validated(
            category: .playAndRecord, mode: .videoChat, options: .allowBluetoothHFP)
        #expect(try explicit.settingMode(.default).options == .allowBluetoothHFP)
    }

    @Test("setMode keeps a long-form policy or fails by it (2.4.1)")
    func policyStays() throws {
        let long = try SessionSettings.validated(category: .playback, policy: .longFormAudio)
        #expect(try long.settingMode(.spokenAudio).policy == .longFormAudio)
        #expect(throws: SessionError.self) { try long.settingMode(.measurement) }
    }

    @Test("A category set without options has none (2.3.5)")
    func optionsAreNotSticky() throws {
        let mixed = try SessionSettings.validated(category: .playback, options: .mixWithOthers)
        #expect(try mixed.settingCategory(.playback).options == [])
    }

    @Test("A category set without a mode keeps the mode where it is legal, else takes the default (2.3.6)")
    func modeOfNewCategory() throws {
        let spoken = try SessionSettings.validated(category: .playback, mode: .spokenAudio)
        #expect(try spoken.settingCategory(.playAndRecord).mode == .spokenAudio)
        #expect(try spoken.settingCategory(.ambient).mode == .default)
        #expect(throws: SessionError.self) { try spoken.settingCategory(.ambient, options: .defaultToSpeaker) }
    }

    @Test("Options are allowed again when the policy goes back to default (2.4.2)")
    func policyResets() throws {
        let long = try SessionSettings.validated(category: .playback, policy: .longFormVideo)
        let mixed = try long.settingCategory(.playback, options: .mixWithOthers)
        #expect(mixed.policy == .default)
        #expect(mixed.options == .mixWithOthers)
    }
}
