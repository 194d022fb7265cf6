import AVFAudio
import Foundation
import TestSupport
import Testing

private typealias Bench = ConverterBench

/// Conversions whose input a block gives, to another rate or not.
@Suite("AVAudioConverter, with an input block", .limited)
struct ConverterStreamTests {
    private func converter(_ from: Double = 44100, _ to: Double = 48000) throws -> AVAudioConverter {
        try Bench.converter(Bench.format(from), Bench.format(to))
    }

    /// The loudest difference between two sounds, away from their ends.
    private func difference(_ one: [Float], _ other: [Float], margin: Int = 100) -> Float {
        zip(one, other).dropFirst(margin).dropLast(margin).map { abs($0 - $1) }.max() ?? 1
    }

    @Test("E179: the sizes of input and output buffers never change the samples")
    func sizes() throws {
        let tone = Bench.tone(3000, 44100)
        let whole = try Bench.run(converter(), tone, pieces: 3000, room: 4000)
        #expect(whole.count == 3265)
        for (pieces, room) in [(1, 100), (100, 1), (1000, 777), (3000, 512), (7, 4000)] as [(Int, UInt32)] {
            let result = try Bench.run(converter(), tone, pieces: pieces, room: room)
            #expect(result.elementsEqual(whole), "\(pieces), \(room)")
        }
        #expect(difference(whole, Bench.tone(3265, 48000)) < 0.001)
    }

    @Test("E180: 4410 frames at 44.1 kHz are 4800 at 48: dry first, then the rest, then the end for good")
    func statuses() throws {
        let converter = try converter()
        let input = try Bench.buffer(converter.inputFormat, Bench.tone(4410, 44100))
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 8192))
        var answers: [AVAudioConverterInputStatus] = [.haveData, .noDataNow, .endOfStream]
        var calls = 0
        func step() -> AVAudioConverterOutputStatus {
            converter.convert(to: output, error: nil) { _, status in
                calls += 1
                status.pointee = answers.removeFirst()
                return status.pointee == .haveData ? input : nil
            }
        }
        #expect(step() == .inputRanDry)
        let first = output.frameLength
        #expect(first > 0 && first < 4800)
        #expect(step() == .haveData)
        #expect(first + output.frameLength == 4800)
        // E181: the block is not asked any more.
        for _ in 0..<3 { #expect(step() == .endOfStream && output.frameLength == 0) }
        #expect(calls == 3)
    }

    @Test("E181: after noDataNow a converter goes on as if there had been no pause")
    func pauses() throws {
        let tone = Bench.tone(5000, 44100)
        let whole = try Bench.run(converter(), tone)
        let converter = try converter()
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 8192))
        var result: [Float] = []
        for start in stride(from: 0, to: 5000, by: 500) {
            let piece = try Bench.buffer(converter.inputFormat, Array(tone[start..<start + 500]))
            var isGiven = false
            let status = converter.convert(to: output, error: nil) { _, status in
                status.pointee = isGiven ? .noDataNow : .haveData
                defer { isGiven = true }
                return isGiven ? nil : piece
            }
            #expect(status == .inputRanDry)
            result += output.frames(Float.self)
        }
        converter.convert(to: output, error: nil) { _, status in
            status.pointee = .endOfStream
            return nil
        }
        result += output.frames(Float.self)
        #expect(result.elementsEqual(whole))
    }

    @Test("E182: the block is not asked once the output is full, and what has no room waits for the next call")
    func fullOutput() throws {
        let format = try Bench.format(48000)
        let converter = try Bench.converter(format, format)
        let input = try Bench.buffer(format, (0..<100).map { Float($0) })
        let output = try #require(AVAudioPCMBuffer(pcmFormat: format, frameCapacity: 60))
        var wanted: [UInt32] = []
        func step() -> AVAudioConverterOutputStatus {
            converter.convert(to: output, error: nil) { count, status in
                wanted.append(count)
                status.pointee = .haveData
                return input
            }
        }
        #expect(step() == .haveData && output.frames(Float.self).elementsEqual((0..<60).map { Float($0) }))
        let second = (Array(60..<100) + Array(0..<20)).map { Float($0) }
        #expect(step() == .haveData && output.frames(Float.self).elementsEqual(second))
        #expect(step() == .haveData && output.frames(Float.self).elementsEqual((20..<80).map { Float($0) }))
        #expect(wanted == [60, 20])
    }

    @Test("E182: a block that answers haveData with nothing has no data now")
    func emptyAnswers() throws {
        let converter = try converter()
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 60))
        let empty = try #require(AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: 60))
        for answer in [nil, empty] {
            let status = converter.convert(to: output, error: nil) { _, status in
                status.pointee = .haveData
                return answer
            }
            #expect(status == .inputRanDry && output.frameLength == 0)
        }
    }

    @Test("E183: priming takes the filter's length away, adds nothing, or adds it: 1024 frames are 1080, 1115, 1149")
    func priming() throws {
        let tone = Bench.tone(1024, 44100)
        let normal = try converter()
        #expect(normal.primeMethod == .normal)
        #expect(normal.primeInfo == AVAudioConverterPrimeInfo(leadingFrames: 32, trailingFrames: 32))
        let all = try Bench.run(normal, tone)
        #expect(all.count == 1115)
        let early = try converter()
        early.primeMethod = .pre
        #expect(try Bench.run(early, tone).elementsEqual(all.dropFirst(35)))
        let late = try converter()
        late.primeMethod = .none
        let delayed = try Bench.run(late, tone)
        #expect(delayed.count == 1149)
        #expect(delayed.prefix(10).allSatisfy { abs($0) < 0.01 })
        let same = try Bench.converter(Bench.format(48000), Bench.format(48000))
        same.primeMethod = .none
        #expect(same.primeInfo == AVAudioConverterPrimeInfo())
        #expect(try Bench.run(same, tone).elementsEqual(tone))
    }

    @Test("E183: normal priming gives round(n · ratio) frames, whatever the rates")
    func counts() throws {
        for (from, to) in [(44100, 16000), (48000, 16000), (8000, 48000), (48000, 44100), (22050, 96000)] {
            for frames in [1, 2, 100, 1024, 4801] {
                let made = try Bench.run(converter(Double(from), Double(to)), Bench.tone(frames, Double(from))).count
                #expect(made == Int((Double(frames * to) / Double(from)).rounded()), "\(frames), \(from) to \(to)")
            }
        }
    }

    @Test("E184: the quality is medium at first, changes the filter only a little, and counts from the start on")
    func quality() throws {
        #expect(try converter().sampleRateConverterQuality == AVAudioQuality.medium.rawValue)
        let tone = Bench.tone(4000, 44100)
        var results: [[Float]] = []
        for quality in [0, 32, 64, 96, 127] {
            let converter = try converter()
            converter.sampleRateConverterQuality = quality
            results.append(try Bench.run(converter, tone))
            #expect(results.last?.count == 4354)
            #expect(difference(results.last ?? [], Bench.tone(4354, 48000), margin: 300) < 0.01, "\(quality)")
        }
        #expect(Set(results.map { $0.description }).count == 5)
        let mastering = try converter()
        mastering.sampleRateConverterAlgorithm = AVSampleRateConverterAlgorithm_Mastering
        #expect(try Bench.run(mastering, tone).elementsEqual(results[4]))
        let minimum = try converter()
        minimum.sampleRateConverterAlgorithm = AVSampleRateConverterAlgorithm_MinimumPhase
        #expect(try Bench.run(minimum, tone) != results[2])
        mastering.sampleRateConverterAlgorithm = nil
        mastering.reset()
        #expect(try Bench.run(mastering, tone).elementsEqual(results[2]))
    }

    @Test("E187: an input of another format ends in the error −1, an output of another in 'fmt?'")
    func wrongBuffers() throws {
        let converter = try converter()
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 100))
        output.frameLength = 50
        var error: NSError?
        var status = converter.convert(to: output, error: &error) { _, status in
            status.pointee = .haveData
            return output
        }
        #expect(status == .error && output.frameLength == 0)
        #expect(error?.domain == NSOSStatusErrorDomain && error?.code == -1)
        let other = try #require(AVAudioPCMBuffer(pcmFormat: converter.inputFormat, frameCapacity: 100))
        other.frameLength = 50
        for (buffer, code) in [(other, 1_718_449_215), (try Bench.buffer(converter.outputFormat, [Float]()), 0)] {
            status = converter.convert(to: buffer, error: &error) { _, status in
                status.pointee = .endOfStream
                return nil
            }
            #expect(buffer.frameLength == 0)
            #expect(status == (code == 0 ? .endOfStream : .error) && (error?.code ?? 0) == code)
        }
        let none = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 0))
        converter.reset()
        #expect(converter.convert(to: none, error: &error) { _, _ in nil } == .error && error?.code == -50)
    }

    @Test("E188: reset forgets the filter and the end")
    func reset() throws {
        let tone = Bench.tone(3000, 44100)
        let converter = try converter()
        let first = try Bench.run(converter, tone)
        #expect(try Bench.run(converter, tone).isEmpty)
        converter.reset()
        #expect(try Bench.run(converter, tone).elementsEqual(first))
        // In the midst of a sound, too.
        let output = try #require(AVAudioPCMBuffer(pcmFormat: converter.outputFormat, frameCapacity: 10))
        converter.reset()
        let loud = try Bench.buffer(converter.inputFormat, [Float](repeating: 1, count: 500))
        converter.convert(to: output, error: nil) { _, status in
            status.pointee = .haveData
            return loud
        }
        converter.reset()
        #expect(try Bench.run(converter, tone).elementsEqual(first))
    }
}
