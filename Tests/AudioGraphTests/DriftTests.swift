import AudioGraph
import Foundation
import TestSupport
import Testing

/// The way of sound from one clock to another.
@Suite("Drift of two clocks", .limited)
struct DriftTests {
    /// A device whose clock runs faster by a fraction, whose deliveries of a length are read in blocks of 10 ms.
    private struct Clocks: CustomTestStringConvertible {
        let difference: Double
        let delivery: Double

        var testDescription: String { "\(difference * 1e6) ppm, \(delivery * 1e3) ms" }

        static let all = [-0.001, -0.0003, -0.00005, 0, 0.00005, 0.0003, 0.001].flatMap { difference in
            [0.01, 0.0213, 0.022].map { Clocks(difference: difference, delivery: $0) }
        }
    }

    @Test("The control finds the difference of the clocks, and holds what waits, for an hour", arguments: Clocks.all)
    private func control(clocks: Clocks) {
        var control = DriftControl(target: 0.04)
        var (given, taken, captured) = (0.04, 0.0, 0.0)
        var (least, most, ratios) = (Double.infinity, 0.0, 0.0)
        let (block, blocks) = (0.01, 360_000)
        for index in 0..<blocks {
            captured += block * (1 + clocks.difference)
            while given - 0.04 + clocks.delivery <= captured { given += clocks.delivery }
            control.follow(waiting: given - taken, for: block)
            let ratio = control.ratio
            taken += block * ratio
            // From the fifth minute on the beginning is over.
            guard index > 30_000 else { continue }
            least = min(least, given - taken)
            most = max(most, given - taken)
            ratios += ratio - 1
        }
        let found = ratios / Double(blocks - 30_001)
        #expect(abs(found - clocks.difference) < 5e-6, "\(found * 1e6) ppm")
        #expect(least > 0.01 && most < 0.075, "\(least) ... \(most) s")
    }

    /// A tone that a renderer writes to a window, as a capture does.
    private struct Capture {
        let renderer = Renderer()
        let window = TapBuffer(channels: 1, capacity: 48_000)
        let reader: DriftReader
        private let sink: UnsafeMutablePointer<Float> = .allocate(capacity: 4096)
        private let block: UnsafeMutablePointer<Float> = .allocate(capacity: 480)
        private let list: UnsafeMutablePointer<UnsafeMutablePointer<Float>> = .allocate(capacity: 1)

        init() {
            reader = DriftReader(window, rate: 48_000, target: 0.04)
            var builder = ProgramBuilder(maximumFrames: 4096)
            let bus = builder.addSource(channels: 1) { samples, frames, position in
                for frame in 0..<frames {
                    samples.channels[0][frame] = Float(0.5 * sin(2 * .pi * Double(position + frame) / 48))
                }
                return true
            }
            builder.addTap(bus, window)
            renderer.publish(builder.finish(output: bus))
            list.initialize(to: block)
        }

        func end() {
            sink.deallocate()
            block.deallocate()
            list.deallocate()
        }

        func deliver(_ frames: Int) {
            withUnsafePointer(to: sink) { renderer.render(into: $0, channels: 1, frames: frames) }
        }

        /// The next 480 frames of the other clock.
        func read() -> [Float] {
            reader.read(into: Samples(channels: list, channelCount: 1), frames: 480)
            return Array(UnsafeBufferPointer(start: block, count: 480))
        }
    }

    /// The greatest deviation of samples from a tone of 1 kHz at nearly 48 kHz.
    private func roughness(_ samples: ArraySlice<Float>) -> Double {
        let factor = 2 * cos(2 * Double.pi / 48)
        var worst = 0.0
        for index in samples.indices.dropFirst(2) {
            let (first, second, third) = (samples[index - 2], samples[index - 1], samples[index])
            worst = max(worst, abs(Double(first) + Double(third) - factor * Double(second)))
        }
        return worst
    }

    @Test("The reader gives a tone without a step while the clocks differ", arguments: [-0.0005, 0, 0.0005])
    func reader(difference: Double) {
        let capture = Capture()
        defer { capture.end() }
        var (due, heard) = (0.0, [Float]())
        for _ in 0..<2000 {
            due += 480 * (1 + difference)
            while due >= 1024 {
                capture.deliver(1024)
                due -= 1024
            }
            heard += capture.read()
        }
        #expect(capture.reader.breaks == 0)
        let start = heard.firstIndex { abs($0) > 0.4 } ?? heard.endIndex
        #expect(start < 4800)
        // A change of the pitch by 0.2 % is as much; a lost frame would be fifty times that.
        let worst = roughness(heard[(start + 480)...])
        #expect(worst < 5e-4, "\(worst)")
        #expect(heard[(start + 480)...].map(abs).max() ?? 0 < 0.502)
    }

    @Test("Too little sound fades out and begins anew, and far too much is dropped, both without a step")
    func breaks() {
        let capture = Capture()
        defer { capture.end() }
        var heard: [Float] = []
        for _ in 0..<50 {
            capture.deliver(480)
            heard += capture.read()
        }
        #expect(capture.reader.breaks == 0 && heard.suffix(480).map(abs).max() ?? 0 > 0.49)
        heard = []
        for _ in 0..<20 { heard += capture.read() }
        #expect(capture.reader.breaks == 1 && heard.suffix(4800).allSatisfy { $0 == 0 })
        for _ in 0..<50 {
            capture.deliver(480)
            heard += capture.read()
        }
        #expect(heard.suffix(480).map(abs).max() ?? 0 > 0.49)
        for _ in 0..<10 { capture.deliver(4096) }
        for _ in 0..<20 {
            capture.deliver(480)
            heard += capture.read()
        }
        #expect(capture.reader.breaks == 2 && heard.suffix(480).map(abs).max() ?? 0 > 0.49)
        #expect((capture.window.waiting(.max)?.frames ?? 0) < 3000)
        let steps = zip(heard, heard.dropFirst()).map { abs($1 - $0) }
        #expect(steps.max() ?? 1 < 0.12)
    }

    @Test("A delivery that is late breaks the sound once: more waits afterwards, up to 150 ms")
    func late() {
        let capture = Capture()
        defer { capture.end() }
        /// Reads a second, with deliveries of which every tenth is late by so many blocks.
        func second(lateBy blocks: Int) {
            var owed = 0
            for index in 0..<100 {
                owed += 1
                if !(index % 10 < blocks) {
                    for _ in 0..<owed { capture.deliver(480) }
                    owed = 0
                }
                _ = capture.read()
            }
        }
        second(lateBy: 0)
        #expect(capture.reader.breaks == 0 && capture.reader.control.target == 0.04)
        second(lateBy: 5)
        #expect(capture.reader.breaks == 1 && capture.reader.control.target == 0.06)
        second(lateBy: 5)
        #expect(capture.reader.breaks == 1)
        for _ in 0..<10 {
            for _ in 0..<20 { _ = capture.read() }
            second(lateBy: 0)
        }
        #expect(capture.reader.breaks == 11 && abs(capture.reader.control.target - 0.15) < 1e-9)
    }
}
