import AudioGraph
import TestSupport
import Testing

@Suite(.limited) struct TapBufferTests {
    private let renderer = Renderer()
    private let window = TapBuffer(channels: 1, capacity: 100)

    /// Renders a saw, with the window on it or without.
    private func publish(isTapped: Bool) {
        var builder = ProgramBuilder(maximumFrames: 64)
        let bus = builder.addSource(channels: 1, block: generated { Float($1) })
        if isTapped { builder.addTap(bus, window) }
        renderer.publish(builder.finish(output: bus))
    }

    /// Takes what waits, at most so many frames.
    private func take(_ frames: Int) -> (position: Int, samples: [Float])? {
        guard let (count, position) = window.waiting(frames) else { return nil }
        var samples = [Float](repeating: .nan, count: count)
        window.copy(channel: 0, frames: count, to: &samples)
        window.consume(count)
        return (position, samples)
    }

    private func saw(_ range: Range<Int>) -> [Float] { range.map { Float($0) } }

    @Test func framesComeInOrderAroundTheEndOfTheMemory() {
        publish(isTapped: true)
        #expect(take(10) == nil)
        for round in 0..<10 {
            _ = renderer.rendered(70, block: 64)
            let (first, second) = (take(50), take(50))
            #expect(first?.position == round * 70 && first?.samples == saw(round * 70..<round * 70 + 50))
            #expect(second?.samples == saw(round * 70 + 50..<round * 70 + 70))
        }
    }

    @Test func E77_blocksWithoutRoomAreLeftOutWholeAndTheGapIsTold() {
        publish(isTapped: true)
        _ = renderer.rendered(256, block: 64)
        // One block fits, those behind it do not.
        let first = take(100)
        #expect(first?.position == 0 && first?.samples == saw(0..<64))
        #expect(take(100) == nil)
        _ = renderer.rendered(64, block: 64)
        let second = take(100)
        #expect(second?.position == 256 && second?.samples == saw(256..<320))
    }

    @Test func E73_behindAGapNothingIsWrittenUntilWhatWaitsWasRead() {
        publish(isTapped: true)
        _ = renderer.rendered(20, block: 20)
        publish(isTapped: false)
        _ = renderer.rendered(30, block: 30)
        publish(isTapped: true)
        _ = renderer.rendered(20, block: 20)
        let first = take(100)
        #expect(first?.position == 0 && first?.samples == saw(0..<20))
        _ = renderer.rendered(20, block: 20)
        let second = take(100)
        #expect(second?.position == 70 && second?.samples == saw(70..<90))
    }
}
