import SessionPolicy
import TestSupport
import Testing

@Suite("Data sources and their polar patterns", .limited) struct DataSourceTests {
    private func grouped(_ connectors: [(String, String)]) -> [RoutePort.DataSource] {
        RoutePort.DataSource.grouped(connectors.map { (port: $0.0, name: $0.1) })
    }

    @Test("S66: connectors whose names differ by a pattern's name are one data source with patterns")
    func families() {
        let sources = grouped([
            ("[In] FrontMicOmni", "Front Microphone (Omnidirectional)"), ("[In] RearMic", "Rear Microphone"),
            ("[In] FrontMicCardioid", "Front Microphone (Cardioid)"),
        ])
        #expect(sources.map(\.name) == ["Front Microphone", "Rear Microphone"])
        #expect(sources[0].patterns.map(\.name) == ["Omnidirectional", "Cardioid"])
        #expect(sources[0].patterns.map(\.port) == ["[In] FrontMicOmni", "[In] FrontMicCardioid"])
        #expect(sources[0].contains("[In] FrontMicCardioid") && !sources[0].contains("[In] RearMic"))
        #expect(sources[1].patterns.isEmpty)
    }

    @Test("what has no choice of patterns stays as it is")
    func others() {
        let usual = [("analog-input-mic", "Microphone"), ("analog-input-linein", "Line In")]
        #expect(
            grouped(usual) == [
                .init(port: "analog-input-mic", name: "Microphone"),
                .init(port: "analog-input-linein", name: "Line In"),
            ])
        let lonely = [("mic-cardioid", "Mic Cardioid"), ("line-stereo", "Line Stereo")]
        #expect(grouped(lonely).map(\.name) == ["Mic Cardioid", "Line Stereo"])
        // The same pattern twice is no choice.
        let twins = [("a-omni", "Mic (Omni)"), ("b-omni", "Mic (Omni)")]
        #expect(grouped(twins).map(\.port) == ["a-omni", "b-omni"])
        #expect(grouped([]).isEmpty)
    }
}
