import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

/// Calls that come right after one another, before the first of them could be heard.
@Suite("A player that is told several things at once", .serialized, .limited)
struct PlayerHasteTests {
    @Test(
        "S105: a fade begins at the volume that was set just before, on a player that plays or begins to",
        .judges(.level(decibels: 2)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func fadeFromVolume(kind: HeadlessServer.Kind, isLate: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            // Its output runs already, as in a crossfade.
            let other = try lab.player(lab.sine(300, level: -60, seconds: 9))
            other.play()
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 9))
            player.prepareToPlay()
            if isLate {
                player.play()
                try await waitUntil("a moving position") { player.currentTime > 0.3 }
            }
            player.volume = 0
            if !isLate { player.play() }
            player.setVolume(1, fadeDuration: 1)
            let first = player.currentTime
            try await waitUntil("the fade's end") { player.currentTime > first + 1.2 }
            player.stop()
            let length = player.currentTime - first
            let heard = try await lab.heard()
            let end = try #require(heard.soundRange(threshold: -40)).upperBound
            /// So many seconds after the fade began; told from the sound's end, since it began in silence.
            func level(_ seconds: Double) -> Double {
                let frame = end - Int((length - seconds) * Double(lab.rate))
                return heard.level(ofFrequency: 1000, frame..<frame + lab.rate / 20)
            }
            #expect(level(1.1) > -7, "first \(first), length \(length)")
            #expect(level(0.15) < -15, "a tenth and a quarter; first \(first), length \(length)")
            #expect(level(0.5) < -9 && level(0.5) > -15, "about half; first \(first), length \(length)")
        }
    }

    @Test(
        "S105: a fade that is set before play() begins with the sound, on a player that was played before or not",
        .judges(.level(decibels: 1)), arguments: HeadlessServer.Kind.allCases,
        ["new", "prepared", "paused", "finished"])
    func fadeBeforePlay(kind: HeadlessServer.Kind, standing: String) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: standing == "finished" ? 1.4 : 9))
            if standing == "prepared" { player.prepareToPlay() }
            if standing == "paused" || standing == "finished" {
                player.play()
                try await waitUntil("a moving position") { player.currentTime > 0.3 }
                if standing == "paused" { player.pause() } else { player.currentTime = player.duration }
                try await waitUntil("the end of the sound") { !player.isPlaying }
            }
            try await lab.monitor.waitForSilence()
            let start = lab.monitor.frames
            player.volume = 0
            player.setVolume(1, fadeDuration: 1)
            let first = player.currentTime
            #expect(player.volume == 1 && player.play())
            try await waitUntil("the fade's end") { player.currentTime > first + 1.15 }
            player.stop()
            let all = try await lab.heard()
            let heard = all[start..<all.frames]
            let range = try #require(heard.soundRange(threshold: -60))
            func level(_ seconds: Double) -> Double {
                let frame = range.lowerBound + Int(seconds * Double(lab.rate))
                return heard.level(ofFrequency: 1000, frame..<frame + lab.rate / 20)
            }
            #expect(level(1.05) > -7)
            #expect(level(0.0375) < -24, "a sixteenth")
            #expect(level(0.475) < -11 && level(0.475) > -13, "half")
        }
    }

    @Test("S105: a volume that was set while the player was stopped is where its fade begins")
    func fadeAfterStop() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 9))
            player.play()
            player.volume = 0.5
            player.stop()
            player.volume = 0.1
            let start = lab.monitor.frames
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.2 }
            player.setVolume(0.2, fadeDuration: 8)
            let first = player.currentTime
            try await waitUntil("a while") { player.currentTime > first + 0.8 }
            player.stop()
            let heard = try await lab.heard()
            let range = try #require(heard.soundRange())
            #expect(heard.peakLevel(max(start, range.upperBound - lab.rate / 2)..<range.upperBound) < -24)
        }
    }

    @Test(
        "S105: a seek leaves a fade as it is, of a player that plays or is paused",
        .judges(.level(decibels: 1.2, over: 0.1)), arguments: HeadlessServer.Kind.allCases, [false, true])
    func fadeOverSeek(kind: HeadlessServer.Kind, isPaused: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, level: -6, seconds: 20))
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.2 }
            player.setVolume(0, fadeDuration: 8)
            if isPaused { player.pause() }
            player.currentTime = 10
            if isPaused { player.play() }
            try await waitUntil("a while") { player.currentTime > 11 }
            player.stop()
            let heard = try await lab.heard()
            let end = try #require(heard.soundRange()).upperBound
            let level = heard.level(ofFrequency: 1000, end - lab.rate / 10..<end)
            #expect(level > -9 && level < -6.5, "an eighth of the way")
        }
    }

    @Test(
        "S103: a rate that is set on the way from pause() to play() counts from there", .judges(.time(seconds: 0.4)),
        arguments: [0, 1, 2])
    func rateOnPause(order: Int) async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let player = try lab.player(lab.sine(1000, seconds: 4))
            player.enableRate = true
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.3 }
            let (read, clock) = (player.currentTime, ContinuousClock.now)
            player.pause()
            if order == 1 { player.play() }
            // The position is known only when all is back from the server.
            if order == 2 { #expect(player.currentTime > 0.3) }
            player.rate = 2
            // What was heard at the usual rate at most, however late this thread was.
            let first = read + (ContinuousClock.now - clock) / .seconds(1)
            if order != 1 { player.play() }
            try await waitUntil("the end", timeout: hangLimit) { !player.isPlaying }
            let heard = try await lab.heard()
            let seconds = Double(try #require(heard.soundRange()).count) / Double(lab.rate)
            // What was heard at the usual rate, and the rest at twice that; a second of the old one makes half a second.
            #expect(seconds < first + (4 - first) / 2 + 0.3, "\(seconds), of which \(first)")
        }
    }

    @Test(
        "S111: a start at a time is kept over a seek and another stream", arguments: HeadlessServer.Kind.allCases,
        [false, true])
    func timedStart(kind: HeadlessServer.Kind, seeks: Bool) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, seconds: 3))
            player.prepareToPlay()
            let start = player.deviceCurrentTime + 1.5
            player.play(atTime: start)
            if seeks { player.currentTime = 1 } else { try lab.session.setMode(.moviePlayback) }
            #expect(player.isPlaying && player.deviceCurrentTime < start - 0.5)
            try await lab.monitor.wait(seconds: 0.5)
            #expect(lab.monitor.soFar().soundRange() == nil)
            try await lab.monitor.waitForSound()
            #expect(player.deviceCurrentTime > start - 0.01)
        }
    }

    @Test("A player that is paused while its stream is replaced stays paused", arguments: HeadlessServer.Kind.allCases)
    func pausedMeanwhile(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let keeper = Keeper(try lab.player(lab.sine(1000, seconds: 600)))
            let player = try #require(keeper.player)
            for round in 0..<20 {
                #expect(player.play())
                try await waitUntil("a moving position") { player.currentTime > 0.001 }
                let modes: [AVAudioSession.Mode] = [.moviePlayback, .default]
                let change = Task.detached { try lab.session.setMode(modes[round % 2]) }
                for _ in 0..<round * 100 { _ = player.volume }
                player.pause()
                try await change.value
                #expect(!player.isPlaying, "round \(round)")
                player.currentTime = 0
            }
        }
    }

    @Test("Another assignment of channels that cannot be had leaves the sound as it is, and is told")
    func fileIsEmptied() async throws {
        try await withPlayerLab(.pulseAudio) { lab in
            let events = PlayerEvents()
            let file = try lab.file(lab.sine(1000, seconds: 9))
            let player = try AVAudioPlayer(contentsOf: file, session: lab.session)
            player.delegate = events
            player.play()
            try Data().write(to: file)
            player.channelAssignments = lab.session.currentRoute.outputs.first?.channels.map { Array($0.prefix(2)) }
            #expect(player.isPlaying)
            try await waitUntil("the error") { !events.errors.isEmpty }
        }
    }

    @Test("A seek, and a change of role, are no end of the sound to others", arguments: HeadlessServer.Kind.allCases)
    func noEnd(kind: HeadlessServer.Kind) async throws {
        try await withPlayerLab(kind) { lab in
            let player = try lab.player(lab.sine(1000, seconds: 60))
            player.play()
            try await waitUntil("a moving position") { player.currentTime > 0.1 }
            // An open one counts.
            let news = Gate()
            news.open()
            lab.session.soundHandler = { news.pass() }
            for second in 1...5 { player.currentTime = Double(second) }
            try await waitUntil("a moving position") { player.currentTime > 5.1 }
            #expect(news.arrived == 0)
            try lab.session.setMode(.moviePlayback)
            try await waitUntil("a moving position") { player.currentTime > 5.3 }
            player.pause()
            try await waitUntil("the end", timeout: hangLimit) { news.arrived > 0 }
            #expect(news.arrived == 1)
        }
    }
}
