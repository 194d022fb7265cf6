import Foundation
package import HeadlessServer

/// Listens to a sink by recording its monitor with `parec`, which shares no code with what is tested.
///
/// It asks for 5 ms at a time, so that it does not slow the server's own pace down. All positions are frames since its
/// start.
package final class MonitorRecording: Sendable {
    private let recorder: ChildProcess
    private let sink: HeadlessServer.NullSink

    private var isFloat: Bool { sink.format.hasPrefix("float32") }
    private var frameSize: Int { sink.channels * (isFloat ? 4 : 2) }

    /// Starts to listen to a sink, in the sink's own rate, channels and format (`s16le` or `float32le`), and returns
    /// when sound, or silence, comes in.
    package static func start(
        on server: HeadlessServer, sink: HeadlessServer.NullSink = .init(), latencyMilliseconds: Int = 5
    ) async throws -> MonitorRecording {
        // PipeWire 0.3.65 leaves a recorder unlinked now and then; the next one is linked.
        for _ in 0..<2 {
            let recording = try MonitorRecording(on: server, sink: sink, latencyMilliseconds: latencyMilliseconds)
            do {
                try await recording.wait(untilFrames: 1, timeout: .seconds(4))
                return recording
            } catch { try await recording.stop() }
        }
        let recording = try MonitorRecording(on: server, sink: sink, latencyMilliseconds: latencyMilliseconds)
        try await recording.waitUntilRecording()
        return recording
    }

    private init(on server: HeadlessServer, sink: HeadlessServer.NullSink, latencyMilliseconds: Int) throws {
        self.sink = sink
        recorder = try ChildProcess(
            tool: "parec",
            [
                "--raw", "--device=\(sink.name).monitor", "--latency-msec=\(latencyMilliseconds)",
                "--format=\(sink.format)",
                "--rate=\(sink.rate)", "--channels=\(sink.channels)", "--channel-map=\(sink.channelMap)",
                "--client-name=monitor-recording",
                "--property=media.role=production",
            ], on: server)
    }

    /// The number of frames recorded so far.
    package var frames: Int { recorder.outputCount / frameSize }

    /// What was recorded so far, from a frame on.
    package func soFar(from first: Int = 0) -> Recording {
        let bytes = recorder.output(from: first * frameSize)
        let usable = bytes.count / frameSize * frameSize
        func values<Value>(_: Value.Type) -> [Value] {
            guard usable > 0 else { return [] }
            // In one piece: a sanitizer takes minutes for what is read sample by sample.
            return Array(unsafeUninitializedCapacity: usable / MemoryLayout<Value>.stride) { values, count in
                count = usable / MemoryLayout<Value>.stride
                bytes[..<usable].withUnsafeBytes { UnsafeMutableRawBufferPointer(values).copyMemory(from: $0) }
            }
        }
        if isFloat { return Recording(float: values(Float.self), sampleRate: sink.rate, channels: sink.channels) }
        return Recording(pcm16: values(Int16.self), sampleRate: sink.rate, channels: sink.channels)
    }

    /// Waits for the first frames.
    package func waitUntilRecording() async throws {
        try await wait(untilFrames: 1)
    }

    /// Waits until so many frames have been recorded.
    package func wait(untilFrames count: Int, timeout: Duration = hangLimit) async throws {
        try await waitUntil("\(count) recorded frames", timeout: timeout) {
            if recorder.exit != nil {
                throw OtherProgramEnded(recorder) ?? SupportError("parec is gone: \(recorder.errorText)")
            }
            return frames >= count
        }
    }

    /// Waits until so many seconds more have been recorded: the clock of the sound itself.
    package func wait(seconds: Double) async throws {
        let count = frames + Int(seconds * Double(sink.rate))
        try await wait(untilFrames: count, timeout: .seconds(10 + 2 * seconds))
    }

    /// Waits for sound louder than `threshold` (dBFS) at or after a frame and returns the first frame of it.
    @discardableResult
    package func waitForSound(
        threshold: Double = -60, from first: Int = 0, timeout: Duration = hangLimit
    ) async throws -> Int {
        var scanned = first
        var found: Int?
        try await waitUntil("sound on \(sink.name)", timeout: timeout) {
            let news = soFar(from: scanned)
            if let range = news.soundRange(threshold: threshold) { found = scanned + range.lowerBound }
            scanned += news.frames
            return found != nil
        }
        return found ?? scanned
    }

    /// Waits until it has been silent for `duration` seconds at or after a frame and returns the first silent frame.
    @discardableResult
    package func waitForSilence(
        duration: Double = 0.3, threshold: Double = -60, from first: Int = 0, timeout: Duration = hangLimit
    ) async throws -> Int {
        let wanted = Int(duration * Double(sink.rate))
        var start = first
        var scanned = first
        try await waitUntil("silence on \(sink.name)", timeout: timeout) {
            let news = soFar(from: scanned)
            if let range = news.soundRange(threshold: threshold) {
                // A long silence may lie before the newest sound.
                let quiet = [0..<range.lowerBound] + news.gaps(threshold: threshold, minimumFrames: wanted)
                if range.lowerBound + scanned - start >= wanted { return true }
                if let gap = quiet.dropFirst().first {
                    start = scanned + gap.lowerBound
                    return true
                }
                start = scanned + range.upperBound
            }
            scanned += news.frames
            return scanned - start >= wanted
        }
        return start
    }

    /// How loud a tone is just now, as its peak level in dBFS, over the next 50 ms.
    ///
    /// Tones of whole multiples of 20 Hz do not leak into one another there.
    package func level(of frequency: Double) async throws -> Double {
        let first = frames
        try await wait(seconds: 0.05)
        return soFar(from: first).level(ofFrequency: frequency, 0..<sink.rate / 20)
    }

    /// Waits until a tone is heard (at `level`, in dBFS, give or take 1.5), or no more where `level` is nil.
    package func wait(for frequency: Double, at level: Double?, timeout: Duration = hangLimit) async throws {
        var last = 0.0
        do {
            try await waitUntil(timeout: timeout) {
                last = try await self.level(of: frequency)
                return level.map { abs(last - $0) < 1.5 } ?? (last < -55)
            }
        } catch is SupportError {
            let wanted = level.map { "at \($0) dBFS" } ?? "not at all"
            throw SupportError("\(frequency) Hz is to be heard \(wanted), and is at \(last) dBFS")
        }
    }

    /// The time of the first frame, in seconds of CLOCK_MONOTONIC, to some milliseconds.
    ///
    /// It is the earliest that forty arrivals of frames allow: a frame arrives after it was played, never before.
    package func timeOfFirstFrame() async throws -> Double {
        var earliest = Double.infinity
        for _ in 0..<40 {
            try await wait(untilFrames: frames + 1)
            let seconds = Double(frames) / Double(sink.rate)
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            earliest = min(earliest, Double(now.tv_sec) + Double(now.tv_nsec) / 1e9 - seconds)
        }
        return earliest
    }

    /// Ends the recording and returns all of it.
    @discardableResult
    package func stop() async throws -> Recording {
        recorder.send(SIGTERM)
        try await recorder.wait()
        return soFar()
    }
}
