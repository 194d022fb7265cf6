import AVFAudio
import Testing

extension SymbolLedger {
    mutating func effects() {
        units()
        times()
        equalizers()
        rooms()
        distortions()
    }

    private mutating func units() {
        // MARK: AVAudioUnit
        works(AVAudioUnit.self, note: "its own units only: no audio units are loaded")
        works(AVAudioUnitEffect.self)
        works(\AVAudioUnitEffect.bypass)
    }

    private mutating func times() {
        // MARK: AVAudioUnitTimeEffect
        works(AVAudioUnitTimeEffect.self)
        works(\AVAudioUnitTimeEffect.bypass, note: "late by the latency, and otherwise bit for bit")
        // MARK: AVAudioUnitVarispeed
        works(AVAudioUnitVarispeed.self)
        works(AVAudioUnitVarispeed.init, named: "AVAudioUnitVarispeed.init()")
        works(\AVAudioUnitVarispeed.rate)
        // MARK: AVAudioUnitTimePitch
        works(AVAudioUnitTimePitch.self)
        works(AVAudioUnitTimePitch.init, named: "AVAudioUnitTimePitch.init()")
        works(\AVAudioUnitTimePitch.rate)
        works(\AVAudioUnitTimePitch.pitch)
        works(\AVAudioUnitTimePitch.overlap, note: "kept, and without effect")
    }

    private mutating func equalizers() {
        // MARK: AVAudioUnitEQ
        works(AVAudioUnitEQ.self)
        works(AVAudioUnitEQ.init(numberOfBands:))
        works(AVAudioUnitEQ.init as () -> AVAudioUnitEQ, note: "16 bands")
        works(\AVAudioUnitEQ.bands)
        works(\AVAudioUnitEQ.globalGain)
        works(AVAudioUnitEQFilterParameters.self)
        works(\AVAudioUnitEQFilterParameters.filterType)
        works(\AVAudioUnitEQFilterParameters.frequency)
        works(\AVAudioUnitEQFilterParameters.bandwidth)
        works(\AVAudioUnitEQFilterParameters.gain)
        works(\AVAudioUnitEQFilterParameters.bypass)
        works(AVAudioUnitEQFilterType.parametric, raw: 0)
        works(AVAudioUnitEQFilterType.lowPass, raw: 1)
        works(AVAudioUnitEQFilterType.highPass, raw: 2)
        works(AVAudioUnitEQFilterType.resonantLowPass, raw: 3)
        works(AVAudioUnitEQFilterType.resonantHighPass, raw: 4)
        works(AVAudioUnitEQFilterType.bandPass, raw: 5)
        works(AVAudioUnitEQFilterType.bandStop, raw: 6)
        works(AVAudioUnitEQFilterType.lowShelf, raw: 7)
        works(AVAudioUnitEQFilterType.highShelf, raw: 8)
        works(AVAudioUnitEQFilterType.resonantLowShelf, raw: 9)
        works(AVAudioUnitEQFilterType.resonantHighShelf, raw: 10)
    }

    private mutating func rooms() {
        // MARK: AVAudioUnitDelay
        works(AVAudioUnitDelay.self)
        works(AVAudioUnitDelay.init, named: "AVAudioUnitDelay.init()")
        works(\AVAudioUnitDelay.delayTime)
        works(\AVAudioUnitDelay.feedback)
        works(\AVAudioUnitDelay.lowPassCutoff)
        works(\AVAudioUnitDelay.wetDryMix)
        // MARK: AVAudioUnitReverb
        works(AVAudioUnitReverb.self)
        works(AVAudioUnitReverb.init, named: "AVAudioUnitReverb.init()")
        works(AVAudioUnitReverb.loadFactoryPreset(_:), note: "rooms in the kind of Apple's")
        works(\AVAudioUnitReverb.wetDryMix)
        works(AVAudioUnitReverbPreset.smallRoom, raw: 0)
        works(AVAudioUnitReverbPreset.mediumRoom, raw: 1)
        works(AVAudioUnitReverbPreset.largeRoom, raw: 2)
        works(AVAudioUnitReverbPreset.mediumHall, raw: 3)
        works(AVAudioUnitReverbPreset.largeHall, raw: 4)
        works(AVAudioUnitReverbPreset.plate, raw: 5)
        works(AVAudioUnitReverbPreset.mediumChamber, raw: 6)
        works(AVAudioUnitReverbPreset.largeChamber, raw: 7)
        works(AVAudioUnitReverbPreset.cathedral, raw: 8)
        works(AVAudioUnitReverbPreset.largeRoom2, raw: 9)
        works(AVAudioUnitReverbPreset.mediumHall2, raw: 10)
        works(AVAudioUnitReverbPreset.mediumHall3, raw: 11)
        works(AVAudioUnitReverbPreset.largeHall2, raw: 12)
    }

    private mutating func distortions() {
        // MARK: AVAudioUnitDistortion
        works(AVAudioUnitDistortion.self)
        works(AVAudioUnitDistortion.init, named: "AVAudioUnitDistortion.init()")
        works(AVAudioUnitDistortion.loadFactoryPreset(_:), note: "kinds of distortion named after Apple's")
        works(\AVAudioUnitDistortion.preGain)
        works(\AVAudioUnitDistortion.wetDryMix)
        works(AVAudioUnitDistortionPreset.drumsBitBrush, raw: 0)
        works(AVAudioUnitDistortionPreset.drumsBufferBeats, raw: 1)
        works(AVAudioUnitDistortionPreset.drumsLoFi, raw: 2)
        works(AVAudioUnitDistortionPreset.multiBrokenSpeaker, raw: 3)
        works(AVAudioUnitDistortionPreset.multiCellphoneConcert, raw: 4)
        works(AVAudioUnitDistortionPreset.multiDecimated1, raw: 5)
        works(AVAudioUnitDistortionPreset.multiDecimated2, raw: 6)
        works(AVAudioUnitDistortionPreset.multiDecimated3, raw: 7)
        works(AVAudioUnitDistortionPreset.multiDecimated4, raw: 8)
        works(AVAudioUnitDistortionPreset.multiDistortedFunk, raw: 9)
        works(AVAudioUnitDistortionPreset.multiDistortedCubed, raw: 10)
        works(AVAudioUnitDistortionPreset.multiDistortedSquared, raw: 11)
        works(AVAudioUnitDistortionPreset.multiEcho1, raw: 12)
        works(AVAudioUnitDistortionPreset.multiEcho2, raw: 13)
        works(AVAudioUnitDistortionPreset.multiEchoTight1, raw: 14)
        works(AVAudioUnitDistortionPreset.multiEchoTight2, raw: 15)
        works(AVAudioUnitDistortionPreset.multiEverythingIsBroken, raw: 16)
        works(AVAudioUnitDistortionPreset.speechAlienChatter, raw: 17)
        works(AVAudioUnitDistortionPreset.speechCosmicInterference, raw: 18)
        works(AVAudioUnitDistortionPreset.speechGoldenPi, raw: 19)
        works(AVAudioUnitDistortionPreset.speechRadioTower, raw: 20)
        works(AVAudioUnitDistortionPreset.speechWaves, raw: 21)
    }
}
