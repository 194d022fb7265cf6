import AVFoundation

// The picture of a recording in progress: a view model of the main actor keeps the loudest sample of each slice.
@MainActor
final class WaveformView: ObservableModel {
    private let engine = AVAudioEngine()
    private(set) var bars: [Float] = []
    private(set) var sliceFrames = 0

    func start() throws {
        let session = AVAudioSession.sharedInstance()
        try session.setCategory(.playAndRecord, mode: .measurement, options: [.mixWithOthers])
        try session.setActive(true)
        let input = engine.inputNode
        let format = input.inputFormat(forBus: 0)
        input.installTap(onBus: 0, bufferSize: 2048, format: format) { [weak self] buffer, _ in
            guard let data = buffer.floatChannelData else { return }
            let samples = Array(UnsafeBufferPointer(start: data[0], count: Int(buffer.frameLength)))
            let loudest = samples.map { abs($0) }.max() ?? 0
            DispatchQueue.main.async { [weak self] in self?.add(loudest, frames: samples.count) }
        }
        try engine.start()
    }

    private func add(_ bar: Float, frames: Int) {
        bars.append(bar)
        sliceFrames = frames
        changed()
    }

    func stop() {
        engine.inputNode.removeTap(onBus: 0)
        engine.stop()
    }
}

// What stands in for ObservableObject, of which Linux has none.
@MainActor
class ObservableModel {
    private(set) var changes = 0
    func changed() { changes += 1 }
}

extension WaveformView: Story {
    static func run(_ stage: Stage) async throws {
        let view = WaveformView()
        try view.start()
        let sound = try AVAudioPlayer(contentsOf: stage.sound("album.wav"))
        sound.play()
        try await stage.until("some bars") { view.bars.filter { $0 > 0.05 }.count > 5 }
        view.stop()
        stage.say("slices of \(view.sliceFrames) told \(view.changes == view.bars.count)")
    }
}
