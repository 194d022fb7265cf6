import ArgumentParser
import CommandLineSupport
import PulseClient
import SessionPolicy
import SoundHost

/// `audiosession devices`: the sinks and sources.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "The sinks and sources of the server; an asterisk marks the defaults.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func run() {
        let access = ServerAccess(server)
        let json = json
        access.run {
            let devices = await access.snapshot().devices
            if json {
                let printer = eventPrinter(isOn: true)
                for device in devices { printer.emit("device", fields: device.fields) }
                return
            }
            var table = TextTable("", "DEVICE", "NAME", "TYPE", "PORT", "STATE", "DESCRIPTION")
            let paper = Paper()
            for device in devices { table.add(device.row(on: paper)) }
            show(table.lines(on: paper).map { $0 + "\n" }.joined())
        }
    }
}

/// A sink or a source, with the properties to choose it by.
private struct Device {
    let kind: String
    let name: String
    let description: String
    let type: PortKind
    let port: String?
    let state: DeviceState
    let isDefault: Bool
    let isMuted: Bool

    var fields: Record.Fields {
        [
            ("kind", .string(kind)), ("name", .string(name)), ("description", .string(description)),
            ("type", .string(type.rawValue)), ("port", .string(port ?? "")), ("state", .string("\(state)")),
            ("default", .boolean(isDefault)),
            ("muted", .boolean(isMuted)),
        ]
    }

    func row(on paper: Paper) -> [TextTable.Cell] {
        [
            .init(isDefault ? "*" : " ", .green), .init(kind), .init(name.cut(toColumns: paper.longestDevice), .bold),
            .init(type.rawValue), .init(port?.cut(toColumns: paper.longestName) ?? "-"),
            .init("\(state)" + (isMuted ? ", muted" : ""), isMuted ? .yellow : .plain), .init(description, .faint),
        ]
    }
}

extension ServerSnapshot {
    /// All sinks, then all sources that are not monitors of sinks.
    fileprivate var devices: [Device] {
        sinks.map { sink in
            Device(
                kind: "sink", name: sink.name, description: sink.description,
                type: PortKind(sink), port: sink.activePort, state: sink.state,
                isDefault: sink.name == server.defaultSink, isMuted: sink.isMuted)
        }
            + sources.filter { $0.monitorOf == nil }.map { source in
                Device(
                    kind: "source", name: source.name, description: source.description,
                    type: PortKind(source), port: source.activePort, state: source.state,
                    isDefault: source.name == server.defaultSource,
                    isMuted: source.isMuted)
            }
    }
}
