import AVFAudio
import TestSupport
import Testing

/// Nodes, connections and formats; nothing is rendered.
@Suite("AVAudioEngine, its graph", .limited)
struct EngineGraphTests {
    private let engine = AVAudioEngine()
    private let mixer = AVAudioMixerNode()

    @Test("E1: a new engine has nothing, does nothing and is in no mode")
    func new() {
        #expect(!engine.isRunning && !engine.isInManualRenderingMode && engine.attachedNodes.isEmpty)
        #expect(engine.manualRenderingFormat.sampleRate == 0 && engine.manualRenderingFormat.channelCount == 0)
        #expect(engine.manualRenderingMaximumFrameCount == 0)
    }

    @Test("E2, E3: the main mixer brings the output node and leads to it; each node is made once")
    func made() {
        let main = engine.mainMixerNode
        #expect(engine.attachedNodes.count == 2 && engine.mainMixerNode === main)
        #expect(engine.outputNode === engine.outputNode && engine.attachedNodes.count == 2)
        #expect(engine.inputNode === engine.inputNode && engine.attachedNodes.count == 3)
        #expect(engine.outputConnectionPoints(for: engine.inputNode, outputBus: 0).isEmpty)
        #expect(engine.inputConnectionPoint(for: engine.outputNode, inputBus: 0)?.node === main)
        #expect(main.engine === engine && engine.outputNode.engine === engine)
    }

    @Test("E3: the input and output nodes alone are connected to nothing")
    func outputAlone() {
        _ = AVAudioEngine().inputNode
        #expect(engine.inputConnectionPoint(for: engine.outputNode, inputBus: 0) == nil)
        #expect(engine.attachedNodes.count == 1)
    }

    @Test("E4, E9: a mixer has 8 inputs and grows, the output node one and no output, a source none")
    func buses() {
        let main = engine.mainMixerNode
        #expect(main.numberOfInputs == 8 && main.numberOfOutputs == 1)
        engine.attach(mixer)
        engine.connect(mixer, to: main, fromBus: 0, toBus: 11, format: nil)
        #expect(main.numberOfInputs == 12)
        #expect(engine.outputNode.numberOfInputs == 1 && engine.outputNode.numberOfOutputs == 0)
        #expect(engine.inputNode.numberOfInputs == 0 && engine.inputNode.numberOfOutputs == 1)
        let source = EngineBench.node { _, _ in 0 }
        #expect(source.numberOfInputs == 0 && source.numberOfOutputs == 1)
    }

    @Test("E5, E6, E7: nodes belong to an engine from attach to detach, and both may be repeated")
    func attaching() {
        #expect(mixer.engine == nil)
        engine.detach(mixer)
        for _ in 0..<2 {
            engine.attach(mixer)
            #expect(mixer.engine === engine && engine.attachedNodes == [mixer])
        }
        engine.connect(mixer, to: engine.mainMixerNode, format: nil)
        for _ in 0..<2 {
            engine.detach(mixer)
            #expect(mixer.engine == nil && !engine.attachedNodes.contains(mixer))
        }
        #expect(engine.inputConnectionPoint(for: engine.mainMixerNode, inputBus: 0) == nil)
        AVAudioEngine().attach(mixer)
    }

    @Test("E8: an engine retains its nodes, and they outlive it without an engine")
    func owners() {
        weak var gone: AVAudioEngine?
        weak var node: AVAudioNode?
        do {
            let engine = AVAudioEngine()
            gone = engine
            engine.attach(mixer)
            node = engine.mainMixerNode
            #expect(node != nil)
        }
        #expect(gone == nil && node == nil && mixer.engine == nil)
        engine.attach(mixer)
        #expect(mixer.engine === engine)
    }

    @Test("E13, E15, E86: a connection replaces others of its buses, and takes a mixer's first free one")
    func connecting() {
        let main = engine.mainMixerNode
        let sources = (0..<3).map { _ in AVAudioMixerNode() }
        for source in sources {
            engine.attach(source)
            engine.connect(source, to: main, format: nil)
        }
        #expect((0..<4).map { engine.inputConnectionPoint(for: main, inputBus: $0)?.node } == sources + [nil])
        engine.disconnectNodeInput(main, bus: 1)
        #expect(main.nextAvailableInputBus == 1)
        engine.connect(sources[0], to: main, format: nil)
        #expect(engine.outputConnectionPoints(for: sources[0], outputBus: 0).map(\.bus) == [1])
        engine.connect(sources[1], to: main, fromBus: 0, toBus: 2, format: nil)
        #expect(engine.inputConnectionPoint(for: main, inputBus: 2)?.node === sources[1])
        #expect(engine.outputConnectionPoints(for: sources[2], outputBus: 0).isEmpty)
    }

    @Test("E14, E17: a format is the source's output's, which the input takes over; nil leaves it")
    func formats() throws {
        let main = engine.mainMixerNode
        engine.attach(mixer)
        #expect(mixer.outputFormat(forBus: 0) == (try EngineBench.format()))
        #expect(mixer.inputFormat(forBus: 5) == (try EngineBench.format()))
        let mono = try EngineBench.format(22_050, 1)
        engine.connect(mixer, to: main, format: mono)
        #expect(mixer.outputFormat(forBus: 0) == mono && main.inputFormat(forBus: 0) == mono)
        engine.disconnectNodeOutput(mixer)
        engine.connect(mixer, to: main, fromBus: 0, toBus: 4, format: nil)
        #expect(mixer.outputFormat(forBus: 0) == mono && main.inputFormat(forBus: 4) == mono)
        #expect(mixer.outputFormat(forBus: 1).channelCount == 0 && main.inputFormat(forBus: -1).sampleRate == 0)
    }

    @Test("E16: a split replaces what its output and the inputs had, and keeps what is in the list")
    func split() {
        let main = engine.mainMixerNode
        let (source, other) = (AVAudioMixerNode(), AVAudioMixerNode())
        for node in [source, other, mixer] { engine.attach(node) }
        engine.connect(other, to: main, fromBus: 0, toBus: 3, format: nil)
        engine.connect(source, to: main, fromBus: 0, toBus: 0, format: nil)
        let points = [AVAudioConnectionPoint(node: mixer, bus: 2), AVAudioConnectionPoint(node: main, bus: 3)]
        engine.connect(source, to: points, fromBus: 0, format: nil)
        let found = engine.outputConnectionPoints(for: source, outputBus: 0)
        #expect(found.map(\.node) == [mixer, main] && found.map(\.bus) == [2, 3])
        #expect(engine.outputConnectionPoints(for: other, outputBus: 0).isEmpty)
        #expect(engine.inputConnectionPoint(for: main, inputBus: 0) == nil)
    }

    @Test("E20, E21: what cannot be connected is thrown, and leaves the connections as they are")
    func refused() throws {
        let (main, other) = (engine.mainMixerNode, AVAudioEngine())
        let (foreign, free) = (AVAudioMixerNode(), AVAudioMixerNode())
        engine.attach(mixer)
        other.attach(foreign)
        engine.connect(mixer, to: main, format: nil)
        func code(
            _ source: AVAudioNode, _ target: AVAudioNode, _ from: Int = 0, _ to: Int = 0,
            _ format: AVAudioFormat? = nil
        ) -> Int? {
            EngineBench.code { try engine.connectNode(source, to: target, fromBus: from, toBus: to, format: format) }
        }
        #expect(code(free, main) == -10867 && code(mixer, free) == -10867)
        #expect(code(foreign, main) == -50)
        #expect(code(mixer, main, 1) == -10877 && code(mixer, main, 0, -1) == -10877)
        #expect(code(engine.outputNode, main) == -10877 && code(mixer, engine.outputNode, 0, 1) == -10877)
        #expect(code(mixer, mixer) == -10876 && code(main, mixer) == -10876)
        #expect(code(mixer, main, 0, 1, engine.manualRenderingFormat) == -10868)
        let aac = try #require(
            AVAudioFormat(settings: [
                AVFormatIDKey: kAudioFormatMPEG4AAC, AVSampleRateKey: 44_100, AVNumberOfChannelsKey: 2,
            ]))
        #expect(code(mixer, main, 0, 1, aac) == -10868)
        for rate in [0.5, 900_000] { #expect(code(mixer, main, 0, 1, try EngineBench.format(rate)) == -10868) }
        let gone = AVAudioConnectionPoint(node: AVAudioMixerNode(), bus: 0)
        #expect(EngineBench.code { try engine.connectNode(mixer, to: [gone], fromBus: 0, format: nil) } == -50)
        #expect(engine.outputConnectionPoints(for: mixer, outputBus: 0).map(\.bus) == [0])
        #expect(mixer.outputFormat(forBus: 0).channelCount == 2)
    }

    @Test("E21: a circle is found at once where many ways lead from one node to another")
    func ways() {
        let mixers = (0..<60).map { _ in AVAudioMixerNode() }
        for mixer in mixers { engine.attach(mixer) }
        for (mixer, next) in zip(mixers, mixers.dropFirst()).reversed() {
            let points = (0..<2).map { AVAudioConnectionPoint(node: next, bus: $0) }
            engine.connect(mixer, to: points, fromBus: 0, format: nil)
        }
        #expect(EngineBench.code { try engine.connectNode(mixers[59], to: mixers[0], format: nil) } == -10876)
    }

    @Test("E24, E27: nothing happens where there is nothing to disconnect, and no connection is nil or empty")
    func nothing() {
        engine.attach(mixer)
        engine.disconnectNodeOutput(mixer)
        engine.disconnectNodeOutput(mixer, bus: 3)
        engine.disconnectNodeInput(mixer)
        engine.disconnectNodeInput(mixer, bus: 7)
        #expect(engine.inputConnectionPoint(for: mixer, inputBus: 0) == nil)
        #expect(engine.outputConnectionPoints(for: mixer, outputBus: 0).isEmpty)
    }

    @Test("E26: the main mixer follows the output's format until the app has set its own")
    func following() throws {
        let main = engine.mainMixerNode
        let mono = try EngineBench.format(32_000, 1)
        try engine.enableManualRenderingMode(.offline, format: mono, maximumFrameCount: 64)
        #expect(main.outputFormat(forBus: 0) == mono && engine.outputNode.inputFormat(forBus: 0) == mono)
        let own = try EngineBench.format(48_000)
        engine.connect(main, to: engine.outputNode, format: own)
        try engine.enableManualRenderingMode(.offline, format: mono, maximumFrameCount: 64)
        #expect(main.outputFormat(forBus: 0) == own && engine.outputNode.outputFormat(forBus: 0) == mono)
    }
}
