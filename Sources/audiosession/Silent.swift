import ArgumentParser
import CommandLineSupport
import DesktopBus
import Foundation
import Glibc
import SoundHost

/// `audiosession silent`: the silent switch, for machines without a hardware switch.
struct SilentCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "silent",
        abstract: "Turns the silent switch on or off, or says how it stands.",
        discussion: """
            Sessions of the categories ambient and soloAmbient fall silent while it is on: games, and apps that never said \
            what their sound is for. All others go on. Where feedbackd manages a feedback profile (telephones), that is set; \
            elsewhere the switch is the user's own, and outlasts logins. It needs no sound server.
            """)

    /// A position of the switch.
    enum Position: String, CaseIterable, ExpressibleByArgument { case on, off }

    @Argument(help: "on or off (default: only say).")
    var position: Position?

    @Flag(help: "Print one JSON object on stdout.")
    var json = false

    func run() {
        let (position, json) = (position, json)
        Task.detached {
            let bus = SessionBus()
            let profile = await bus?.feedbackProfile()
            if let position {
                await Self.turn(position == .on, bus, profile)
                // What stands when it is done is what was asked for.
                if json { eventPrinter(isOn: true).emit("silent", Self.fields(position == .on, profile)) }
            } else {
                let isOn = profile.map { $0 == "silent" } ?? SilentSwitch.current.isOn
                if json {
                    eventPrinter(isOn: true).emit("silent", Self.fields(isOn, profile))
                } else {
                    show(isOn ? "on\n" : "off\n")
                }
            }
            Glibc.exit(ExitStatus.done.rawValue)
        }
        while true { RunLoop.main.run() }
    }

    private static func fields(_ isOn: Bool, _ profile: String?) -> KeyValuePairs<String, EventValue?> {
        ["on": .boolean(isOn), "by": .string(profile == nil ? "user" : "feedbackd")]
    }

    private static func turn(_ on: Bool, _ bus: SessionBus?, _ profile: String?) async {
        if let bus, let profile {
            // A device that is merely quiet is not made loud.
            guard on != (profile == "silent") else { return }
            guard await bus.setFeedbackProfile(on ? "silent" : "full") else {
                complain("feedbackd did not take the profile")
                Glibc.exit(ExitStatus.failed.rawValue)
            }
            return
        }
        do {
            try SilentSwitch.current.turn(on: on)
        } catch {
            let path = SilentSwitch.current.path ?? "a file without HOME"
            complain("the switch cannot be kept in \(path): \(error.reason)")
            Glibc.exit(ExitStatus.failed.rawValue)
        }
    }
}
