import PulseClient
import TestSupport
import Testing

@Suite(.limited) struct ValueTests {
    @Test func volumesConvert() {
        #expect(Volume(channels: 2, fraction: 1).values == [65_536, 65_536])
        #expect(Volume(channels: 1, linear: 1).values == [Volume.normal])
        #expect(Volume(channels: 1, decibels: 0).values == [Volume.normal])
        #expect(Volume(channels: 1, decibels: -.infinity).values == [0])
        #expect(Volume(channels: 1, linear: 0).decibels == [-.infinity])
        let half = Volume(channels: 2, linear: 0.5)
        #expect(abs(half.linear[1] - 0.5) < 0.001)
        #expect(abs(half.decibels[0] + 6.02) < 0.01)
        #expect(abs(half.fraction - 0.794) < 0.001)
        #expect(abs(half.scaled(linear: 0.5).linear[0] - 0.25) < 0.001)
        #expect("\(Volume(values: [65_536, 32_768]))" == "100% 50%")
    }

    @Test func reconnectDelaysDouble() {
        var policy = ReconnectPolicy()
        let delays = (0..<9).map { _ in policy.next() }
        #expect(delays == [20, 40, 80, 160, 320, 640, 1_280, 2_000, 2_000].map { .milliseconds($0) })
        policy.reset()
        #expect(policy.next() == .milliseconds(20))
        var short = ReconnectPolicy(first: .seconds(5), limit: .seconds(1))
        #expect(short.next() == .seconds(1))
    }

    @Test func specificationsCount() {
        let spec = SampleSpec(format: .int24, rate: 48_000, channels: 2)
        #expect(spec.bytesPerFrame == 6)
        #expect(spec.bytes(0.5) == 144_000)
        #expect(spec.bytes(-1) == 0 && spec.bytes(.nan) == 0)
        #expect(spec.bytes(.infinity) == Int(UInt32.max) * 6 && spec.bytes(1e30) == spec.bytes(.infinity))
        #expect(!SampleSpec(format: .int16, rate: 0, channels: 2).isValid)
        #expect(ChannelMap(wave: 2).positions == [.frontLeft, .frontRight])
        #expect(Set(ChannelMap(wave: 32).positions).count == 32)
        #expect(ChannelMap(wave: 0).positions.isEmpty && ChannelMap(wave: 33).positions.isEmpty)
    }

    @Test func filesHaveTheirChannelsInTheUsualOrder() {
        let rear: [ChannelMap.Position] = [.rearLeft, .rearRight]
        let front: [ChannelMap.Position] = [.frontLeft, .frontRight, .frontCenter]
        let side: [ChannelMap.Position] = [.sideLeft, .sideRight]
        #expect(ChannelMap(wave: 1).positions == [.mono])
        #expect(ChannelMap(wave: 3).positions == front)
        #expect(ChannelMap(wave: 4).positions == [.frontLeft, .frontRight] + rear)
        #expect(ChannelMap(wave: 5).positions == front + rear)
        #expect(ChannelMap(wave: 6).positions == front + [.lfe] + rear)
        #expect(ChannelMap(wave: 7).positions == front + [.lfe, .rearCenter] + side)
        #expect(ChannelMap(wave: 8).positions == front + [.lfe] + rear + side)
    }

    @Test func errorsSayWhatAndWhy() {
        #expect(
            "\(PulseError(.connectionRefused, in: "pa_context_connect"))" == "pa_context_connect: Connection refused")
        #expect("\(PulseError(.timeout, in: "f", explanation: "it sleeps"))" == "f: it sleeps")
    }
}
