internal import AudioHost
internal import PulseClient

/// A short sound that is played once through a new stream, for sounds that the sample cache refuses.
// SAFETY: only touched with the main loop's lock held.
final class StreamedSound: @unchecked Sendable {
    private let clip: SoundClip
    private let stream: PlaybackStream
    private var offset = 0
    private var isDraining = false
    private var completion: ((Bool) -> Void)?

    init(_ clip: SoundClip, properties: PropertyList, on connection: PulseConnection) {
        self.clip = clip
        stream = PlaybackStream(
            connection: connection, name: "System Sound", spec: clip.spec, map: clip.map, properties: properties)
    }

    /// Starts the sound.
    ///
    /// The completion receives whether it was played to its end.
    func play(completion: @escaping (Bool) -> Void) {
        self.completion = completion
        // A stream that begins without a frame loses its first ones: PulseAudio's sink may go on before they come.
        let attributes = BufferAttributes(
            targetLength: UInt32(clamping: clip.spec.bytes(0.1)), prebuffer: UInt32(clamping: clip.spec.bytesPerFrame))
        stream.sync { stream in
            stream.setHandlers(
                request: { [weak self] stream, wanted in self?.write(wanted, to: stream) },
                event: { [weak self] _, event in
                    if case .stateChanged(.failed) = event { self?.end(wasHeard: false) }
                })
            do throws(PulseError) { try stream.connect(attributes: attributes) } catch { end(wasHeard: false) }
        }
    }

    /// Stops the sound at once; its completion is not called.
    func stop() {
        completion = nil
        stream.sync { stream in
            stream.setHandlers(request: nil, event: nil)
            stream.close()
        }
    }

    private func write(_ wanted: Int, to stream: isolated PlaybackStream) {
        let frame = clip.spec.bytesPerFrame
        let count = min(wanted / frame * frame, clip.frames.count - offset)
        guard count > 0 else { return drain(stream) }
        let range = offset..<offset + count
        offset += count
        do throws(PulseError) {
            let outcome = clip.frames[range].withUnsafeBytes { part -> Result<Void, PulseError> in
                Result { () throws(PulseError) in try stream.write(part) }
            }
            try outcome.get()
        } catch {
            return end(wasHeard: false)
        }
        if offset == clip.frames.count { drain(stream) }
    }

    private func drain(_ stream: isolated PlaybackStream) {
        guard !isDraining, offset == clip.frames.count else { return }
        isDraining = true
        stream.drain { [weak self] result in
            if case .success = result { self?.end(wasHeard: true) }
        }
    }

    private func end(wasHeard: Bool) {
        let told = completion
        stop()
        told?(wasHeard)
    }
}
