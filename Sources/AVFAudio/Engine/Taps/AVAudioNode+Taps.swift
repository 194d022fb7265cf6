extension AVAudioNode {
    /// Hands the node's output to a function, buffer by buffer, while the node leads to the output.
    ///
    /// The sound is that of the node itself: before the volume and pan of the mixer's input behind it. In offline
    /// rendering buffers are sent between the blocks, and the rendering does not wait for the function. A last buffer
    /// that is not full is not sent.
    ///
    /// - Parameters:
    ///   - bus: 0, the output.
    ///   - bufferSize: The frames of each buffer; more than 0.4 s are 0.4 s, and 0 is 0.1 s.
    ///   - format: The format of the buffers, to which the sound is converted; nil for the output's. It becomes the
    ///     output's if that is not connected.
    ///   - tapBlock: The function; `sending`, so that a closure belongs to no actor. It is called on a queue of the tap's.
    ///
    /// What ``installAudioTap(onBus:bufferSize:format:tapProvider:)`` throws ends the program.
    ///
    /// Apple: `AVAudioNode.installTap(onBus:bufferSize:format:block:)`, which raises an exception.
    public func installTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        block tapBlock: sending @escaping AVAudioNodeTapBlock
    ) {
        do { try install(bus, bufferSize, format, .buffer(tapBlock)) } catch {
            preconditionFailure((error as NSError).localizedDescription)
        }
    }

    /// Hands the node's output to a function in buffers that nobody changes; else as `installTap`.
    ///
    /// Throws in the domain `com.apple.coreaudio.avfaudio`: −10877 for a bus that the node does not have, −10849 for a
    /// bus with a tap, −10868 for a format to which the sound cannot be converted.
    ///
    /// Apple: `AVAudioNode.installAudioTap(onBus:bufferSize:format:tapProvider:)`
    public func installAudioTap(
        onBus bus: AVAudioNodeBus, bufferSize: AVAudioFrameCount, format: AVAudioFormat?,
        tapProvider: @escaping @Sendable (AVReadOnlyAudioPCMBuffer, AVAudioTime) -> Void
    ) throws {
        try install(bus, bufferSize, format, .readOnly(tapProvider))
    }

    /// Removes the tap of a bus; nothing happens without one.
    ///
    /// Waits for the end of the block that is being rendered, and of the function's call that runs; the function is not
    /// called afterwards. Called by the function itself, it waits for nothing.
    ///
    /// Apple: `AVAudioNode.removeTap(onBus:)`
    public func removeTap(onBus bus: AVAudioNodeBus) {
        guard bus == 0 else { return }
        let (tap, engine) = GraphLock.withLock {
            let tap = facts.tap
            facts.tap = nil
            return (tap, facts.engine)
        }
        engine?.tapsChanged()
        tap?.remove()
    }

    private func install(
        _ bus: AVAudioNodeBus, _ size: AVAudioFrameCount, _ format: AVAudioFormat?, _ function: TapFunction
    ) throws {
        guard bus == 0, hasOutput else { throw NSError.engine(.invalidElement, "\(name) has no output \(bus).") }
        let format = format.flatMap { isNoFormat($0) ? nil : $0 }
        let engine = try GraphLock.withLock {
            guard facts.tap == nil else { throw NSError.engine(.hasTap, "The output of \(name) has a tap already.") }
            let isConnected = facts.engine?.graph.connections.connections(from: self).isEmpty == false
            let setsOutput = !isConnected && takesFormatOfTap
            let tap = try NodeTap(
                setsOutput ? format ?? outputFormat : outputFormat, format, bufferSize: size, function
            ) { [weak self] in self?.lastRenderTime }
            if let format, setsOutput {
                facts.output = format
                outputFormatChanged()
            }
            facts.tap = tap
            return facts.engine
        }
        engine?.tapsChanged()
    }
}
