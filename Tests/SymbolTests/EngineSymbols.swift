import AVFAudio
import Testing

extension SymbolLedger {
    mutating func engines() {
        engine()
        nodes()
        mixing()
        players()
    }

    private mutating func engine() {
        // MARK: AVAudioEngine
        works(AVAudioEngine.self, note: "records from no device yet")
        works(AVAudioEngine.init as () -> AVAudioEngine, named: "AVAudioEngine.init()")
        works(AVAudioEngine.attach(_:))
        works(AVAudioEngine.detach(_:))
        works(AVAudioEngine.connect(_:to:format:))
        works(AVAudioEngine.connect(_:to:fromBus:toBus:format:))
        works(AVAudioEngine.connect(_:to:fromBus:format:))
        works(AVAudioEngine.connectNode(_:to:format:))
        works(AVAudioEngine.connectNode(_:to:fromBus:toBus:format:))
        works(AVAudioEngine.connectNode(_:to:fromBus:format:))
        works(AVAudioEngine.disconnectNodeInput(_:bus:))
        works(
            { $0.disconnectNodeInput($1) } as (AVAudioEngine, AVAudioNode) -> Void,
            named: "AVAudioEngine.disconnectNodeInput(_:)")
        works(AVAudioEngine.disconnectNodeOutput(_:bus:))
        works(
            { $0.disconnectNodeOutput($1) } as (AVAudioEngine, AVAudioNode) -> Void,
            named: "AVAudioEngine.disconnectNodeOutput(_:)")
        works(AVAudioEngine.inputConnectionPoint(for:inputBus:))
        works(AVAudioEngine.outputConnectionPoints(for:outputBus:))
        works(method: AVAudioEngine.prepare)
        works(method: AVAudioEngine.start)
        works(method: AVAudioEngine.pause)
        works(method: AVAudioEngine.stop)
        works(method: AVAudioEngine.reset)
        works(
            NSNotification.Name.AVAudioEngineConfigurationChange, raw: "AVAudioEngineConfigurationChangeNotification",
            note: "the engine goes on")
        works(
            AVAudioEngine.configurationChangeNotification, raw: "AVAudioEngineConfigurationChangeNotification",
            note: "the engine goes on")
        works(\AVAudioEngine.outputNode)
        works(\AVAudioEngine.mainMixerNode)
        works(\AVAudioEngine.isRunning)
        works(\AVAudioEngine.isAutoShutdownEnabled)
        works(\AVAudioEngine.attachedNodes)
        works(AVAudioEngine.enableManualRenderingMode(_:format:maximumFrameCount:))
        works(\AVAudioEngine.manualRenderingBlock)
        works(AVAudioEngineManualRenderingBlock.self)
        works(\AVAudioEngine.inputNode)
        works(method: AVAudioEngine.disableManualRenderingMode)
        works(AVAudioEngine.renderOffline(_:to:))
        works(\AVAudioEngine.isInManualRenderingMode)
        works(\AVAudioEngine.manualRenderingMode)
        works(\AVAudioEngine.manualRenderingFormat)
        works(\AVAudioEngine.manualRenderingMaximumFrameCount)
        works(\AVAudioEngine.manualRenderingSampleTime)
        works(AVAudioEngineManualRenderingMode.offline, raw: 0)
        works(AVAudioEngineManualRenderingMode.realtime, raw: 1)
        works(AVAudioEngineManualRenderingStatus.error, raw: -1)
        works(AVAudioEngineManualRenderingStatus.success, raw: 0)
        works(AVAudioEngineManualRenderingStatus.insufficientDataFromInputNode, raw: 1)
        works(AVAudioEngineManualRenderingStatus.cannotDoInCurrentContext, raw: 2)
        works(AVAudioEngineManualRenderingError.invalidMode, raw: -80800)
        works(AVAudioEngineManualRenderingError.initialized, raw: -80801)
        works(AVAudioEngineManualRenderingError.notRunning, raw: -80802)
    }

    private mutating func nodes() {
        // MARK: AVAudioNode
        works(AVAudioNode.self)
        works(method: AVAudioNode.reset)
        works(AVAudioNode.inputFormat(forBus:))
        works(AVAudioNode.outputFormat(forBus:))
        works(AVAudioNode.name(forInputBus:), note: "nil")
        works(AVAudioNode.name(forOutputBus:), note: "nil")
        works(\AVAudioNode.engine)
        works(\AVAudioNode.numberOfInputs)
        works(\AVAudioNode.numberOfOutputs)
        works(\AVAudioNode.lastRenderTime)
        works(\AVAudioNode.latency)
        works(\AVAudioNode.outputPresentationLatency)
        works(
            { $0.installTap(onBus: $1, bufferSize: $2, format: $3, block: $4) }
                as (
                    AVAudioNode, AVAudioNodeBus, AVAudioFrameCount, AVAudioFormat?,
                    sending @escaping AVAudioNodeTapBlock
                )
                -> Void,
            named: "AVAudioNode.installTap(onBus:bufferSize:format:block:)",
            note: "exact sizes, any format; the block belongs to no actor")
        works(AVAudioNode.installAudioTap(onBus:bufferSize:format:tapProvider:))
        works(AVAudioNode.removeTap(onBus:))
        works(AVAudioNodeTapBlock.self)
        works(AVAudioConnectionPoint.self)
        works(AVAudioConnectionPoint.init(node:bus:))
        works(\AVAudioConnectionPoint.node)
        works(\AVAudioConnectionPoint.bus)
        works(AVAudioIONode.self)
        works(\AVAudioIONode.presentationLatency)
        works(AVAudioOutputNode.self)
        works(AVAudioInputNode.self)
        works(
            { $0.setManualRenderingInputPCMFormat($1, inputBlock: $2) }
                as (AVAudioInputNode, AVAudioFormat, sending @escaping AVAudioIONodeInputBlock) -> Bool,
            named: "AVAudioInputNode.setManualRenderingInputPCMFormat(_:inputBlock:)")
        works(AVAudioIONodeInputBlock.self)
        works(AVAudioSourceNode.self)
        works(
            { AVAudioSourceNode(renderBlock: $0) }
                as (sending @escaping AVAudioSourceNodeRenderBlock) -> AVAudioSourceNode,
            named: "AVAudioSourceNode.init(renderBlock:)", note: "the block belongs to no actor")
        works(
            { AVAudioSourceNode(format: $0, renderBlock: $1) }
                as (AVAudioFormat, sending @escaping AVAudioSourceNodeRenderBlock) -> AVAudioSourceNode,
            named: "AVAudioSourceNode.init(format:renderBlock:)")
        works(AVAudioSourceNodeRenderBlock.self)
        works(AVAudioSinkNode.self, note: "below any node, in manual rendering, too")
        works(
            { AVAudioSinkNode(receiverBlock: $0) }
                as (sending @escaping AVAudioSinkNodeReceiverBlock) -> AVAudioSinkNode,
            named: "AVAudioSinkNode.init(receiverBlock:)", note: "the block belongs to no actor")
        works(AVAudioSinkNodeReceiverBlock.self)
    }

    private mutating func mixing() {
        // MARK: AVAudioMixing
        works((any AVAudioStereoMixing).self)
        works((any AVAudioMixing).self, note: "without AVAudio3DMixing")
        works(\(any AVAudioMixing).volume)
        works(\(any AVAudioMixing).pan)
        works(
            { $0.destination(forMixer: $1, bus: $2) }
                as (any AVAudioMixing, AVAudioNode, AVAudioNodeBus) -> AVAudioMixingDestination?,
            named: "AVAudioMixing.destination(forMixer:bus:)")
        works(AVAudioMixingDestination.self)
        works(\AVAudioMixingDestination.connectionPoint)
        works(AVAudioMixerNode.self)
        works(AVAudioMixerNode.init, named: "AVAudioMixerNode.init()")
        works(\AVAudioMixerNode.outputVolume)
        works(\AVAudioMixerNode.nextAvailableInputBus)
    }

    private mutating func players() {
        typealias Buffer = AVAudioPCMBuffer
        typealias Kind = AVAudioPlayerNodeCompletionCallbackType
        typealias Options = AVAudioPlayerNodeBufferOptions
        // MARK: AVAudioPlayerNode
        works(AVAudioPlayerNode.self)
        works(AVAudioPlayerNode.init, named: "AVAudioPlayerNode.init()")
        works(
            { $0.scheduleBuffer($1, completionHandler: $2) }
                as (AVAudioPlayerNode, Buffer, AVAudioNodeCompletionHandler?) -> Void,
            named: "AVAudioPlayerNode.scheduleBuffer(_:completionHandler:)")
        works(
            { $0.scheduleBuffer($1, completionCallbackType: $2, completionHandler: $3) }
                as (AVAudioPlayerNode, Buffer, Kind, AVAudioPlayerNodeCompletionHandler?) -> Void,
            named: "AVAudioPlayerNode.scheduleBuffer(_:completionCallbackType:completionHandler:)")
        works(
            { $0.scheduleBuffer($1, at: $2, options: $3, completionHandler: $4) }
                as (AVAudioPlayerNode, Buffer, AVAudioTime?, Options, AVAudioNodeCompletionHandler?) -> Void,
            named: "AVAudioPlayerNode.scheduleBuffer(_:at:options:completionHandler:)")
        works(
            AVAudioPlayerNode.scheduleBuffer(_:at:options:completionCallbackType:completionHandler:))
        works(
            AVAudioPlayerNode.scheduleBuffer(_:atTime:options:completionCallbackType:completionHandler:),
            note: "a read-only buffer")
        works(AVAudioPlayerNode.scheduleFile(_:at:completionHandler:))
        works(AVAudioPlayerNode.scheduleFile(_:at:completionCallbackType:completionHandler:))
        works(AVAudioPlayerNode.scheduleSegment(_:startingFrame:frameCount:at:completionHandler:))
        works(
            AVAudioPlayerNode.scheduleSegment(
                _:startingFrame:frameCount:at:completionCallbackType:completionHandler:))
        works(AVAudioPlayerNode.prepare(withFrameCount:))
        works({ $0.play() } as (AVAudioPlayerNode) -> Void, named: "AVAudioPlayerNode.play()")
        works(AVAudioPlayerNode.play(at:), note: "sample times; nothing while the engine does not run")
        works({ try $0.playAudio() } as (AVAudioPlayerNode) throws -> Void, named: "AVAudioPlayerNode.playAudio()")
        works(AVAudioPlayerNode.playAudio(at:))
        works(method: AVAudioPlayerNode.pause)
        works(method: AVAudioPlayerNode.stop)
        works(AVAudioPlayerNode.nodeTime(forPlayerTime:))
        works(AVAudioPlayerNode.playerTime(forNodeTime:))
        works(\AVAudioPlayerNode.isPlaying)
        works(AVAudioPlayerNodeBufferOptions.loops, raw: 1)
        works(AVAudioPlayerNodeBufferOptions.interrupts, raw: 2)
        works(AVAudioPlayerNodeBufferOptions.interruptsAtLoop, raw: 4)
        works(AVAudioPlayerNodeCompletionCallbackType.dataConsumed, raw: 0)
        works(AVAudioPlayerNodeCompletionCallbackType.dataRendered, raw: 1)
        works(
            AVAudioPlayerNodeCompletionCallbackType.dataPlayedBack, raw: 2, note: "by stop() only in offline rendering")
        works(AVAudioNodeCompletionHandler.self)
        works(AVAudioPlayerNodeCompletionHandler.self)
    }
}
