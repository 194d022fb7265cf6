import SessionPolicy
import TestSupport
import Testing

/// What may be combined, cell by cell, and what a combination becomes.
@Suite("The compatibility matrix", .limited)
struct SessionMatrixTests {
    // 1024 combinations a cell: the wrong ones are collected, because an expectation for each would take seconds.

    @Test("Each option is accepted exactly where the table says", arguments: MatrixTable.rows)
    func cell(_ row: MatrixTable.Row) {
        let wrong = MatrixTable.combinations.filter { options in
            let settings = try? SessionSettings.validated(category: row.category, mode: row.mode, options: options)
            return (settings != nil) != isLegal(options, in: row)
        }
        #expect(wrong == [])
    }

    @Test("Every refusal is badParam with a sentence (2.3.1)", arguments: MatrixTable.rows)
    func refusal(_ row: MatrixTable.Row) {
        let wrong = MatrixTable.combinations.filter { options in
            do throws(SessionError) {
                _ = try SessionSettings.validated(category: row.category, mode: row.mode, options: options)
                return false
            } catch {
                return error.code != .badParam || !error.message.hasSuffix(".")
            }
        }
        #expect(wrong == [])
    }

    @Test("What is read back may be set again (2.3.4)", arguments: MatrixTable.rows)
    func idempotent(_ row: MatrixTable.Row) throws {
        let wrong = try MatrixTable.combinations.filter { isLegal($0, in: row) }.filter { options in
            let settings = try SessionSettings.validated(category: row.category, mode: row.mode, options: options)
            let again = try SessionSettings.validated(
                category: settings.category, mode: settings.mode, options: settings.options, policy: settings.policy)
            return again.options != settings.options || !settings.options.isSuperset(of: options)
        }
        #expect(wrong == [])
    }

    @Test("A session means soloAmbient, default, nothing, default before anybody asks (S2, 2.5)")
    func defaults() throws {
        let fresh = SessionSettings.default
        #expect(fresh.category == .soloAmbient)
        #expect(fresh.mode == .default)
        #expect(fresh.options == [])
        #expect(fresh.policy == .default)
        #expect(fresh == (try .validated(category: .soloAmbient)))
    }

    @Test(
        "Options that an option implies are read back (2.3.4)",
        arguments: [
            (UInt(0x1), UInt(0x1)), (0x2, 0x3), (0x3, 0x3), (0x10, 0x11), (0x11, 0x11), (0x12, 0x13),
        ])
    func impliedByOption(asked: UInt, read: UInt) throws {
        let settings = try SessionSettings.validated(category: .playback, options: CategoryOptions(rawValue: asked))
        #expect(settings.options.rawValue == read)
    }

    @Test(
        "Options that a mode implies are read back (2.2)",
        arguments: [
            (Mode.voiceChat, UInt(0x4)), (.videoChat, 0xC), (.gameChat, 0), (.default, 0), (.videoRecording, 0),
        ])
    func impliedByMode(mode: Mode, read: UInt) throws {
        #expect(try SessionSettings.validated(category: .playAndRecord, mode: mode).options.rawValue == read)
    }

    @Test("A bit without a meaning is refused", arguments: [UInt(0x100), 1 << 17, 1 << 20, 1 << 63])
    func unknownBit(bit: UInt) {
        #expect(throws: SessionError(.badParam, "0x\(String(bit, radix: 16)) is no category option.")) {
            try SessionSettings.validated(category: .playback, options: CategoryOptions(rawValue: bit | 1))
        }
    }

    @Test(
        "The message names the rule that was broken",
        arguments: [
            ("The option defaultToSpeaker is not allowed with category playback.", Asked(.playback, options: 0x8)),
            ("The option allowBluetoothHFP is not allowed with category playback.", Asked(.playback, options: 0x4)),
            (
                "The option interruptSpokenAudioAndMixWithOthers is not allowed with category soloAmbient.",
                Asked(.soloAmbient, options: 0x11)
            ),
            (
                "The option mixWithOthers is not allowed with category multiRoute in mode voicePrompt.",
                Asked(.multiRoute, .voicePrompt, options: 1)
            ),
            ("The mode voiceChat is not allowed with category playback.", Asked(.playback, .voiceChat)),
            ("The mode dualRoute requires the option allowBluetoothHFP.", Asked(.multiRoute, .dualRoute)),
            (
                "The option farFieldInput requires the option allowBluetoothHFP.",
                Asked(.record, options: 0x40000)
            ),
        ])
    func message(text: String, asked: Asked) {
        #expect(throws: SessionError(.badParam, text)) {
            try SessionSettings.validated(
                category: asked.category, mode: asked.mode, options: CategoryOptions(rawValue: asked.options))
        }
    }

    @Test("Long-form policies want playback, three modes and no options (2.4.1)", arguments: MatrixTable.rows)
    func longForm(_ row: MatrixTable.Row) {
        let modes: [Mode] = [.default, .moviePlayback, .spokenAudio]
        for policy in [RouteSharingPolicy.longFormAudio, .longFormVideo] {
            for options in [CategoryOptions()] + MatrixTable.columns {
                let accepted =
                    (try? SessionSettings.validated(
                        category: row.category, mode: row.mode, options: options, policy: policy)) != nil
                #expect(accepted == (row.category == .playback && modes.contains(row.mode) && options.isEmpty))
            }
        }
    }

    @Test("An app must not ask for the policy independent (2.4.3)", arguments: MatrixTable.rows)
    func independent(_ row: MatrixTable.Row) {
        #expect(throws: SessionError.self) {
            try SessionSettings.validated(category: row.category, mode: row.mode, policy: .independent)
        }
    }

    @Test("allowedModes lists exactly the legal pairs", arguments: SessionPolicy.Category.allCases)
    func modes(category: SessionPolicy.Category) {
        let legal = MatrixTable.rows.filter { $0.category == category && $0.settable != nil }.map(\.mode)
        #expect(category.allowedModes == legal)
    }

    @Test("Categories that need a microphone are not available without one")
    func available() {
        let all: [SessionPolicy.Category] = [.ambient, .soloAmbient, .playback, .record, .playAndRecord, .multiRoute]
        #expect(SessionPolicy.Category.available(hasInput: true) == all)
        #expect(SessionPolicy.Category.available(hasInput: false) == [.ambient, .soloAmbient, .playback, .multiRoute])
    }

    private func isLegal(_ options: CategoryOptions, in row: MatrixTable.Row) -> Bool {
        guard let settable = row.settable, settable.isSuperset(of: options) else { return false }
        let hasBluetooth = options.contains(.allowBluetoothHFP)
        if row.mode == .dualRoute, !hasBluetooth { return false }
        let bringsBluetooth = row.mode == .voiceChat || row.mode == .videoChat
        return !options.contains(.farFieldInput) || hasBluetooth || bringsBluetooth
    }

    /// The arguments of one request.
    struct Asked: Sendable {
        let category: SessionPolicy.Category
        let mode: Mode
        let options: UInt

        init(_ category: SessionPolicy.Category, _ mode: Mode = .default, options: UInt = 0) {
            (self.category, self.mode, self.options) = (category, mode, options)
        }
    }
}
