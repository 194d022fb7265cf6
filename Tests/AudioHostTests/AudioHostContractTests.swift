import AudioHost
import AudioRealtime
import Locks
import SessionPolicy
import TestSupport
import Testing

/// What every host promises to sessions and players; the scripted host is held to it as the real one is.
@Suite("The contract of hosts", .limited)
struct AudioHostContractTests {
    private static let playback = SessionSettings.default.in(.playback)
    private static let record = SessionSettings.default.in(.record)

    private func made(
        _ subject: Subject, seconds: Double = 2, isEnd: Bool = true
    ) throws -> (any HostSound, CountingSource) {
        let place = try subject.host.openOutput(OutputRequest(role: .music))
        let source = CountingSource(in: place, seconds: seconds, isEnd: isEnd)
        return (try subject.host.makeSound(of: source, in: place), source)
    }

    @Test("An activation is reported as an event before the call returns", arguments: HostKind.allCases)
    func activation(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            #expect(!subject.host.facts.isConnected)
            try await offPool { try subject.host.activate(Self.playback, implicitly: true) }
            #expect(subject.events.withLock { $0.contains(.activated(implicitly: true)) })
            #expect(subject.host.facts.isConnected && !subject.host.facts.owner.isEmpty)
        }
    }

    @Test(
        "A sound is refused before the activation, and after the session's I/O was closed", arguments: HostKind.allCases
    )
    func refusal(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.connect() }
            let (early, _) = try await offPool { try made(subject) }
            #expect(early.play(at: nil, fade: nil) == .refused)
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            #expect(early.play(at: nil, fade: nil) == .begun)
            #expect(early.status.state == .running)
            subject.host.perform(.closeIO)
            #expect(early.status.state == .paused)
            #expect(early.play(at: nil, fade: nil) == .refused)
        }
    }

    @Test(
        "I/O that starts and stops is reported, and a sound that is out for a moment is no stop",
        arguments: HostKind.allCases)
    func running(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, _) = try await offPool { try made(subject) }
            #expect(sound.play(at: nil, fade: nil) == .begun)
            try await subject.wait(for: "some sound") { sound.status.frame > 4800 }
            #expect(sound.suspend())
            #expect(sound.status.state == .paused)
            #expect(!sound.suspend())
            sound.endSuspension(with: sound)
            #expect(sound.status.state == .running)
            sound.pause()
            try await subject.wait(for: "the news") { subject.events.withLock { $0.contains(.ioStopped) } }
            let io = subject.events.withLock { $0.filter { [.ioStarted, .ioStopped].contains($0) } }
            #expect(io == [.ioStarted, .ioStopped])
        }
    }

    @Test("A paused sound stands, and goes on where it stood", arguments: HostKind.allCases)
    func position(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, source) = try await offPool { try made(subject) }
            #expect(sound.play(at: nil, fade: nil) == .begun)
            try await subject.wait(for: "some sound") { sound.status.frame > 4800 }
            sound.pause()
            try await offPool { sound.settle(seconds: 2) }
            let frame = sound.status.frame
            #expect(frame == source.ring.framesRendered)
            #expect(sound.play(at: nil, fade: nil) == .begun)
            try await subject.wait(for: "more sound") { sound.status.frame > frame + 4800 }
            sound.pause()
            try await offPool { sound.settle(seconds: 2) }
            sound.empty(keepsRamps: false)
            #expect(sound.status.frame == 0 && source.ring.readableFrames == 0)
        }
    }

    @Test(
        "A sound that waits for its time stands, has no levels, and keeps its time over a suspension",
        arguments: HostKind.allCases)
    func timedStart(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, _) = try await offPool { try made(subject) }
            sound.change(.metering(true))
            #expect(sound.levels(window: 4800) == nil)
            #expect(sound.play(at: nil, fade: nil) == .begun)
            try await subject.wait(for: "some sound") { sound.status.frame > 9600 }
            let levels = try #require(sound.levels(window: 2400))
            #expect(levels.peak == [0.25, 0.25] && levels.average.allSatisfy { abs($0 - 0.25) < 0.001 })
            sound.pause()
            try await offPool { sound.settle(seconds: 2) }
            let frame = sound.status.frame
            let start = subject.host.facts.deviceTime + 0.5
            #expect(sound.play(at: start, fade: nil) == .begun)
            #expect(sound.suspend())
            sound.endSuspension(with: sound)
            try await subject.wait(for: "its time") {
                let now = subject.host.facts.deviceTime
                let status = sound.status
                // Asked for in this order: by the time of the look the sound may have begun.
                if now < start - 0.05, subject.host.facts.deviceTime < start - 0.05 {
                    #expect(status.state == .running && status.frame == frame && sound.levels(window: 2400) == nil)
                }
                return status.frame > frame + 4800
            }
            #expect(subject.host.facts.deviceTime > start)
            #expect(sound.levels(window: 2400)?.peak == [0.25, 0.25])
        }
    }

    @Test("A sound is heard to its end once, and the next one of a chain begins there", arguments: HostKind.allCases)
    func end(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (first, source) = try await offPool { try made(subject, seconds: 0.3) }
            let (second, last) = try await offPool { try made(subject, seconds: 0.3) }
            #expect(!first.chain(to: second), "it does not run")
            #expect(first.play(at: nil, fade: nil) == .begun)
            #expect(first.chain(to: second))
            try await subject.wait(for: "the end") { second.status.state == .finished }
            #expect(first.status.state == .finished)
            try await subject.wait(for: "the news") { last.told.withLock { $0.contains("finished") } }
            #expect(source.told.withLock { $0.filter { $0 == "finished" }.count } == 1)
        }
    }

    @Test(
        "An interruption pauses sounds and tells their sources; what starts meanwhile is told as well",
        arguments: HostKind.allCases)
    func interruption(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, source) = try await offPool { try made(subject) }
            #expect(sound.play(at: nil, fade: nil) == .begun)
            subject.host.perform(.stopIO(interrupting: true))
            #expect(sound.status.state == .paused)
            #expect(source.told.withLock { $0 } == ["interrupted"])
            #expect(sound.play(at: nil, fade: nil) == .interrupted)
            #expect(source.told.withLock { $0 } == ["interrupted", "interrupted"])
            subject.host.perform(.claim(.interrupted))
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            #expect(sound.play(at: nil, fade: nil) == .begun)
        }
    }

    @Test("A stop at the app's wish tells no source", arguments: HostKind.allCases)
    func stop(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, source) = try await offPool { try made(subject) }
            #expect(sound.play(at: nil, fade: nil) == .begun)
            subject.host.perform(.stopIO(interrupting: false))
            #expect(sound.status.state == .paused && source.told.withLock { $0.isEmpty })
            #expect(sound.play(at: nil, fade: nil) == .begun)
        }
    }

    @Test("Frames that were rendered are not replaced, later ones are", arguments: HostKind.allCases)
    func splice(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, source) = try await offPool { try made(subject, seconds: 10, isEnd: false) }
            #expect(sound.play(at: nil, fade: nil) == .begun)
            try await subject.wait(for: "some sound") { source.ring.framesRendered > 4800 }
            #expect(sound.splice(at: 100, [], isEnd: true) == nil)
            #expect(!source.ring.isEnded)
            let cut = source.ring.framesRendered + 96_000
            let piece = [Float](repeating: 0, count: 200)
            let total = piece.withUnsafeBufferPointer { sound.splice(at: cut, [$0], isEnd: true) }
            #expect(total == cut + 100 && source.ring.isEnded)
        }
    }

    @Test("A redecode is asked of the source, once for each request", arguments: HostKind.allCases)
    func redecode(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let (sound, source) = try await offPool { try made(subject) }
            sound.requestRedecode()
            sound.requestRedecode()
            try await subject.wait(for: "both") { source.told.withLock { $0 } == ["redecode", "redecode"] }
            sound.didRedecode()
            sound.didRedecode()
            #expect(sound.play(at: nil, fade: nil) == .begun)
            try await subject.wait(for: "some sound") { sound.status.frame > 4800 }
        }
    }

    @Test("An output that was closed takes no sounds", arguments: HostKind.allCases)
    func goneOutput(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.playback, implicitly: false) }
            let place = try await offPool { try subject.host.openOutput(OutputRequest(role: .music)) }
            let again = try await offPool { try subject.host.openOutput(OutputRequest(role: .music)) }
            #expect(again.id == place.id)
            subject.host.perform(.closeIO)
            #expect(throws: SessionError.self) {
                try subject.host.makeSound(of: CountingSource(in: place, seconds: 0.1), in: place)
            }
        }
    }

    @Test("A capture delivers while it runs, and tells that it rests", arguments: HostKind.allCases)
    func capture(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.connect() }
            let receiver = CountingReceiver()
            let request = CaptureRequest(format: .int16, rate: 48_000, channels: 2, role: nil)
            let capture = try await offPool { try subject.host.openCapture(request, receiver: receiver) }
            #expect(capture.isOpen && !capture.isRunning)
            #expect(capture.start(at: nil, forDuration: nil) == .refused)
            try await offPool { try subject.host.activate(Self.record, implicitly: false) }
            receiver.state.withLock { $0.readiness = .nothingWanted }
            #expect(capture.start(at: nil, forDuration: 0) == .nothingWanted)
            receiver.state.withLock { $0.readiness = .ready }
            #expect(capture.start(at: nil, forDuration: nil) == .begun)
            #expect(capture.isRunning && subject.host.facts.isCapturing)
            try await subject.wait(for: "frames") { receiver.state.withLock { $0.bytes > 9600 } }
            #expect(capture.seconds > 0)
            try await offPool { capture.pause() }
            #expect(!capture.isRunning && receiver.state.withLock { $0.told.contains("rested") })
            #expect(capture.close(finishing: false).wasOpen)
            #expect(!capture.isOpen && !capture.close(finishing: false).wasOpen)
        }
    }

    @Test(
        "Captures of different rates hear the same time, and one that waits for its time hears nothing",
        arguments: HostKind.allCases)
    func captureRates(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.record, implicitly: false) }
            let rates = [48_000, 16_000, 48_000]
            let receivers = rates.map { _ in CountingReceiver() }
            let captures = try await offPool {
                try zip(rates, receivers).map { rate, receiver in
                    let request = CaptureRequest(format: .int16, rate: rate, channels: 2, role: nil)
                    return try subject.host.openCapture(request, receiver: receiver)
                }
            }
            let late = MonotonicClock.seconds + 1000
            for (index, capture) in captures.enumerated() {
                #expect(capture.start(at: index == 2 ? late : nil, forDuration: nil) == .begun)
            }
            func seconds(_ index: Int) -> Double {
                Double(receivers[index].state.withLock { $0.bytes } / 4) / Double(rates[index])
            }
            try await subject.wait(for: "a second") { seconds(0) > 1 && seconds(1) > 1 }
            // As one delivery of a server differs from another.
            #expect(abs(seconds(0) - seconds(1)) < 0.7)
            #expect(captures[2].isRunning && seconds(2) == 0)
            try await offPool { captures[2].pause() }
            #expect(!captures[2].isRunning && seconds(2) == 0)
            for capture in captures { _ = capture.close(finishing: false) }
        }
    }

    @Test("A capture whose stream is killed tells its end, and is not open any more", arguments: HostKind.allCases)
    func killedCapture(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.record, implicitly: false) }
            let receiver = CountingReceiver()
            let request = CaptureRequest(format: .int16, rate: 48_000, channels: 2, role: nil)
            let capture = try await offPool { try subject.host.openCapture(request, receiver: receiver) }
            #expect(capture.start(at: nil, forDuration: nil) == .begun)
            try await subject.wait(for: "frames") { receiver.state.withLock { $0.bytes > 9600 } }
            try await subject.killCaptures()
            try await subject.wait(for: "the end") { receiver.state.withLock { $0.told.contains("ended") } }
            #expect(!capture.isOpen && !capture.isRunning && !capture.close(finishing: true).wasOpen)
            #expect(capture.start(at: nil, forDuration: nil) == .refused)
            try await subject.wait(for: "the news") { subject.events.withLock { $0.contains(.ioStopped) } }
        }
    }

    @Test("What is let go of while it runs stops, and that is told", arguments: HostKind.allCases)
    func released(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            let both = try SessionSettings.validated(category: .playAndRecord)
            try await offPool { try subject.host.activate(both, implicitly: false) }
            func stops() -> Int { subject.events.withLock { $0.count { $0 == .ioStopped } } }
            var sound: (any HostSound)? = try await offPool { try made(subject, seconds: 60).0 }
            #expect(sound?.play(at: nil, fade: nil) == .begun)
            sound = nil
            try await subject.wait(for: "the news of the sound") { stops() == 1 }
            let request = CaptureRequest(format: .int16, rate: 48_000, channels: 2, role: nil)
            var capture: (any HostCapture)? = try await offPool {
                try subject.host.openCapture(request, receiver: CountingReceiver())
            }
            #expect(capture?.start(at: nil, forDuration: nil) == .begun)
            capture = nil
            try await subject.wait(for: "the news of the capture") { stops() == 2 }
        }
    }

    @Test("An interruption pauses captures, and one that starts meanwhile is told", arguments: HostKind.allCases)
    func interruptedCapture(kind: HostKind) async throws {
        try await Subject.with(kind) { subject in
            try await offPool { try subject.host.activate(Self.record, implicitly: false) }
            let receiver = CountingReceiver()
            let request = CaptureRequest(format: .int16, rate: 48_000, channels: 2, role: nil)
            let capture = try await offPool { try subject.host.openCapture(request, receiver: receiver) }
            #expect(capture.start(at: nil, forDuration: nil) == .begun)
            subject.host.perform(.stopIO(interrupting: true))
            #expect(!capture.isRunning && receiver.state.withLock { $0.told.contains("interrupted") })
            #expect(capture.start(at: nil, forDuration: nil) == .interrupted)
            _ = capture.close(finishing: false)
        }
    }
}

extension SessionSettings {
    /// The settings of another category, with its default mode and no options.
    fileprivate func `in`(_ category: SessionPolicy.Category) -> SessionSettings {
        (try? .validated(category: category)) ?? self
    }
}
