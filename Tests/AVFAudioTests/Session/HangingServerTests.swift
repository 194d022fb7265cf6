import AVFAudio
import Foundation
import HeadlessServer
import TestSupport
import Testing

@Suite("Properties of a session whose server hangs", .limited)
struct HangingServerTests {
    /// A property that asks the server for several things, and the first two of them.
    enum Property: CaseIterable {
        case currentRoute, outputVolume

        var questions: (first: UInt32, second: UInt32) {
            switch self {
            case .currentRoute: (CountingProxy.serverInfo, CountingProxy.sinkInfoList)
            case .outputVolume: (CountingProxy.sinkInfo, CountingProxy.sourceInfo)
            }
        }

        func read(of session: AVAudioSession) -> Bool {
            switch self {
            case .currentRoute: !session.currentRoute.outputs.isEmpty
            case .outputVolume: session.outputVolume > 0
            }
        }
    }

    @Test(
        "one that asks for several things waits two seconds for all of them, not for each",
        .judges(.time(seconds: 3)), arguments: Property.allCases)
    func together(property: Property) async throws {
        try await withServer(.pulseAudio) { server in
            let proxy = try CountingProxy(to: server)
            defer { proxy.stop() }
            let session = AVAudioSession(server: proxy.address)
            #expect(try await offPool { property.read(of: session) })
            // The first answer is late, the second one never comes.
            let (first, second) = property.questions
            proxy.hold(answerTo: second)
            proxy.forget()
            server.suspendProcess()
            defer { server.resumeProcess() }
            let answers = Log<(Bool, Duration)>()
            let start = ContinuousClock.now
            Thread { answers.note((property.read(of: session), ContinuousClock.now - start)) }.start()
            try await waitUntil("the question") { proxy.commands.contains(first) }
            try await waitUntil("most of the time") { ContinuousClock.now - start > .milliseconds(1600) }
            server.resumeProcess()
            try await waitUntil("the value", timeout: hangLimit) { !answers.all.isEmpty }
            #expect(answers.all.allSatisfy { !$0.0 && $0.1 < .seconds(3) }, "\(answers.all)")
        }
    }
}
