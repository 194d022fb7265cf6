import Foundation
import SessionPolicy
import TestSupport
import Testing

/// A machine's devices, as somebody posted them, and what they are.
struct Machine: Decodable, CustomTestStringConvertible {
    struct Device: Decodable {
        struct Port: Decodable {
            let name: String
            let type: String
        }

        let direction: String
        let name: String
        let driver: String
        let hasCard: Bool
        let monitor: Bool
        let properties: [String: String]
        let ports: [Port]
        let activePort: String?
        let expected: String

        var evidence: PortEvidence {
            let port = ports.first { $0.name == activePort }
            return PortEvidence(
                isOutput: direction == "output", device: name, driver: driver, hasCard: hasCard, isMonitor: monitor,
                properties: properties, port: port?.name ?? "",
                connector: port.flatMap { .init(rawValue: $0.type) } ?? .unknown)
        }
    }

    let machine: String
    let devices: [Device]
    var testDescription: String { machine }

    static let all: [Machine] = {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Machines.json")
        guard let data = try? Data(contentsOf: file) else { return [] }
        return (try? JSONDecoder().decode([Machine].self, from: data)) ?? []
    }()
}

@Suite("Ports of real machines", .limited) struct MachineTests {
    @Test("there are ten of them at least") func count() { #expect(Machine.all.count >= 10) }

    @Test("each device is what its user would say", arguments: Machine.all)
    func kinds(machine: Machine) {
        for device in machine.devices {
            #expect(PortKind(device.evidence).rawValue == device.expected, "\(device.name)")
        }
    }
}
