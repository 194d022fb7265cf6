internal import PulseClient

// What the server says of the device, with the main loop's lock held.
extension Capture {
    /// How much PipeWire's graph gives at a time now, in seconds; nil while nobody knows.
    ///
    /// May wait some cycles, see ``CycleMeter/seconds``.
    var cycle: Double? { cycles.seconds }

    /// The time from the microphone to the server, in seconds, as of its last answer; nil while nothing is recorded.
    var sourceLatency: Double? { isFlowing ? stream.sync { $0.timing?.sourceLatency } : nil }

    func makeCycleMeter() -> CycleMeter {
        CycleMeter(mainloop: stream.mainloop, rate: Double(stream.spec.rate)) { [weak self] answered in
            guard let self, self.isOpen else { return answered() }
            self.stream.sync { $0.updateTiming { _ in answered() } }
        } place: { [weak self] in
            guard let self, self.isOpen else { return nil }
            let isFlowing = self.isFlowing
            return self.stream.sync { stream in
                guard let device = stream.device?.index else { return nil }
                let frame = stream.timing.map { Int($0.writeIndex) / stream.spec.bytesPerFrame }
                return CycleMeter.Place(device: device, isMoving: isFlowing, frame: frame)
            }
        }
    }
}
