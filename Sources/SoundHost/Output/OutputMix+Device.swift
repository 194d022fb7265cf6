internal import PulseClient

// How long PipeWire's cycles are; with the main loop's lock held.
extension OutputMix {
    /// How much PipeWire's graph takes at a time now, in seconds; nil while nobody knows.
    ///
    /// May wait some cycles, see ``CycleMeter/seconds``.
    var cycle: Double? { cycles.seconds }

    func makeCycleMeter() -> CycleMeter {
        CycleMeter(mainloop: stream.mainloop, rate: Double(format.rate)) { [weak self] answered in
            guard let self else { return answered() }
            self.stream.sync { $0.updateTiming { _ in answered() } }
        } place: { [weak self] in
            guard let self else { return nil }
            let isRunning = self.phase == .running
            return self.stream.sync { stream in
                guard let device = stream.device?.index else { return nil }
                let frame = stream.timing.map { Int($0.readIndex) / format.spec.bytesPerFrame }
                return CycleMeter.Place(device: device, isMoving: isRunning, frame: frame)
            }
        }
    }
}
