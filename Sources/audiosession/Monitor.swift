import ArgumentParser
import CommandLineSupport
import Locks
import SessionHistory
import SessionPolicy
import SoundHost

/// `audiosession monitor`: the events of the server, as they happen.
struct MonitorCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "monitor", abstract: "What sessions and streams do, one line for each event, until Ctrl-C.")

    @OptionGroup var server: ServerOptions

    @Flag(help: "Print one JSON object a line on stdout.")
    var json = false

    func run() {
        Signals.block()
        let access = ServerAccess(server)
        Signals.receive { _ in access.leave() }
        endWithReader()
        ServerWatch(access: access, pace: .live).run(MonitorPrinter(isJSON: json))
    }
}

/// The printer of the events of servers.
private final class MonitorPrinter: ServerWatchReceiver {
    private let printer: EventPrinter
    private let isPlain: Bool
    private let news = Guarded(ServerNews())

    init(isJSON: Bool) {
        printer = eventPrinter(isOn: isJSON)
        isPlain = !isJSON
    }

    func look(at snapshot: ServerSnapshot, age: Double) {
        for item in news.withLock({ $0.items(in: snapshot) }) { report(item.record, item.words) }
    }

    func lose() {
        report(Record(event: "mediaServicesWereLost", fields: []), "the sound server is gone")
        news.withLock { $0 = ServerNews() }
    }

    func find() { report(Record(event: "mediaServicesWereReset", fields: []), "a sound server is there again") }

    private func report(_ record: Record, _ words: String) {
        printer.emit(record.event, fields: record.fields)
        guard isPlain else { return }
        show("\(TimeText.time(HistoryClocks.system.now.wall))  \(words.withoutControls)\n")
    }
}
