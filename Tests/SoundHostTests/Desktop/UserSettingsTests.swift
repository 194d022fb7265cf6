import Foundation
import SessionPolicy
import SoundHost
import TestSupport
import Testing

@Suite("User settings", .limited)
struct UserSettingsTests {
    private func parse(_ environment: [String: String] = [:], file: String = "") -> UserPolicy {
        let (policy, problems) = UserPolicy.parse(environment: environment, file: file)
        #expect(problems.isEmpty)
        return policy
    }

    @Test("Defaults: players pause, phone streams count, 20 dB in 0.2 s and back in 0.5 s, roles are set")
    func defaults() {
        let policy = parse()
        #expect(policy == UserPolicy())
        #expect(policy.foreign == .pause)
        #expect(policy.phone == UserPolicy.Phone(.interrupt))
        #expect(policy.calls == .role)
        #expect(policy.duckDepth == 20)
        #expect(policy.duckDownSeconds == 0.2)
        #expect(policy.duckUpSeconds == 0.5)
        #expect(policy.setsRoles)
        #expect(policy.playsUISounds)
        #expect(policy.microphone == nil)
    }

    @Test("Settings that could not be read for want of descriptors are read when there are some")
    func noDescriptors() async throws {
        await #expect(processExitsWith: .success) {
            let folder = FileManager.default.temporaryDirectory.appendingPathComponent("settings-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: folder) }
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
            try "microphone = deny".write(
                to: folder.appendingPathComponent("avaudiosession.conf"), atomically: false, encoding: .utf8)
            setenv("XDG_CONFIG_HOME", folder.path, 1)
            let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var usual = rlimit()
            getrlimit(files, &usual)
            var none = rlimit(rlim_cur: 0, rlim_max: usual.rlim_max)
            setrlimit(files, &none)
            let first = UserSettings.current
            let access = MicrophoneAccess(bus: nil, policy: UserSettings.current.policy)
            let isSilencedAtFirst = access.isSilencing
            setrlimit(files, &usual)
            #expect(first.policy.microphone == nil && first.problems.count == 1 && !isSilencedAtFirst)
            #expect(UserSettings.current.policy.microphone != nil && UserSettings.current.problems.isEmpty)
            #expect(access.permission == .denied && access.isSilencing)
        }
    }

    @Test("One line is enough to be left alone")
    func oneLine() { #expect(parse(file: "foreign = ignore").foreign == .ignore) }

    @Test("Every key, in a file with comments, blank lines, any letters and keys of the future")
    func file() {
        let policy = parse(
            file: """
                # mine
                Foreign=DUCK   # instead of pausing
                \tphone = ignore: Mumble , TeamSpeak 3 \r
                calls = duplex

                duck = 12.5
                duck_times = 0.1 , 1
                role = omit
                ui_sounds = omit
                microphone = deny: Org.Example.Spy, zoom
                colour = blue
                no value
                """)
        #expect(policy.foreign == .duck)
        #expect(policy.phone == UserPolicy.Phone(.ignore, programs: ["mumble", "teamspeak 3"]))
        #expect(policy.calls == .duplex)
        #expect(policy.duckDepth == 12.5)
        #expect(policy.duckDownSeconds == 0.1)
        #expect(policy.duckUpSeconds == 1)
        #expect(!policy.setsRoles)
        #expect(!policy.playsUISounds)
        #expect(policy.microphone == UserPolicy.Microphone(.deny, programs: ["org.example.spy", "zoom"]))
        #expect(policy.microphone?.allows(id: "us.zoom.Zoom", name: "Meetings") == false)
        #expect(policy.microphone?.allows(id: "org.example.spy", name: "Spy") == false)
        #expect(policy.microphone?.allows(id: "recorder", name: "recorder") == true)
    }

    @Test("The environment comes before the file, and an empty variable says nothing")
    func environment() {
        let policy = parse(
            ["AVAUDIOSESSION_DUCK": "6", "AVAUDIOSESSION_CALLS": ""], file: "duck = 30\ncalls = duplex")
        #expect(policy.duckDepth == 6)
        #expect(policy.calls == .duplex)
    }

    @Test("Numbers are brought into their range")
    func ranges() {
        #expect(parse(["AVAUDIOSESSION_DUCK": "90"]).duckDepth == 60)
        #expect(parse(["AVAUDIOSESSION_DUCK": "-3"]).duckDepth == 0)
        #expect(parse(["AVAUDIOSESSION_DUCK_TIMES": "-1,99"]).duckUpSeconds == 10)
        #expect(parse(["AVAUDIOSESSION_DUCK_TIMES": "-1,99"]).duckDownSeconds == 0)
    }

    @Test(
        "What makes no sense is the default, and a sentence says so",
        arguments: [
            ("AVAUDIOSESSION_FOREIGN", "loud"), ("AVAUDIOSESSION_PHONE", "mumble"), ("AVAUDIOSESSION_CALLS", "all"),
            ("AVAUDIOSESSION_DUCK", "twenty"), ("AVAUDIOSESSION_DUCK", "nan"), ("AVAUDIOSESSION_DUCK_TIMES", "1"),
            ("AVAUDIOSESSION_DUCK_TIMES", "1,2,3"), ("AVAUDIOSESSION_DUCK_TIMES", "1,inf"),
            ("AVAUDIOSESSION_ROLE", "yes"), ("AVAUDIOSESSION_UI_SOUNDS", "loud"),
            ("AVAUDIOSESSION_MICROPHONE", "recorder"),
        ])
    func nonsense(name: String, value: String) {
        let (policy, problems) = UserPolicy.parse(environment: [name: value], file: "")
        #expect(policy == UserPolicy())
        #expect(problems.count == 1)
        #expect(problems.first?.hasPrefix("\(name): “\(value)” is not ") == true)
    }

    @Test("The file is found in XDG_CONFIG_HOME, else in ~/.config; a missing one is no problem, an unreadable one is")
    func places() throws {
        let home = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? FileManager.default.removeItem(at: home) }
        let other = home.appendingPathComponent("other")
        func write(_ text: String, in folder: URL) throws {
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try text.write(to: folder.appendingPathComponent("avaudiosession.conf"), atomically: true, encoding: .utf8)
        }
        func settings(_ variables: [String: String]) -> UserSettings { UserSettings { variables[$0] } }
        let variables = ["HOME": home.path]
        #expect(settings(variables).problems.isEmpty)
        #expect(settings(variables).policy == UserPolicy())
        try write("duck = 11", in: home.appendingPathComponent(".config"))
        try write("duck = 12", in: other)
        #expect(settings(variables).policy.duckDepth == 11)
        #expect(settings(variables).path == home.path + "/.config/avaudiosession.conf")
        #expect(settings(["HOME": home.path, "XDG_CONFIG_HOME": other.path]).policy.duckDepth == 12)
        #expect(settings(["HOME": home.path, "XDG_CONFIG_HOME": "other"]).policy.duckDepth == 11)
        #expect(settings(["XDG_CONFIG_HOME": other.path, "AVAUDIOSESSION_DUCK": "13"]).policy.duckDepth == 13)
        #expect(settings([:]).path == nil)
        // A folder in its place can be opened, but not read.
        let file = other.appendingPathComponent("avaudiosession.conf")
        try FileManager.default.removeItem(at: file)
        try FileManager.default.createDirectory(at: file, withIntermediateDirectories: true)
        #expect(settings(["XDG_CONFIG_HOME": other.path]).problems.count == 1)
        // A pipe into which nobody writes can be opened, but then one would wait for ever.
        try FileManager.default.removeItem(at: file)
        try #require(mkfifo(file.path, 0o600) == 0)
        let problems = settings(["XDG_CONFIG_HOME": other.path]).problems
        #expect(problems == ["\(file.path) is not a file; it is ignored."])
    }
}
