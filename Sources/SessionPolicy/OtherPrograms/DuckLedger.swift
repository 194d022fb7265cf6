/// The list of streams of other programs that one process has lowered, from which any other process can restore them.
///
/// An entry is written *before* the volume changes. A reader does not trust it blindly: the original volume in it is
/// restored only if the stream's present volume is one of the ``DuckVolumeSteps`` that follow from it.
///
/// As text: `1;server=5f03a1c2;owner=17;revision=9;42=<entry>;43=<entry>…`, at most 4 KB of printable ASCII, where an
/// entry is
/// - `key,before,factor` or `key,before,factor,remembered`: the server's name for the kind of stream, percent-encoded;
///   the original volume of each channel, in hexadecimal, separated by dots; the ratio of the lowered volume to it; and
///   the volume that the server remembered for the next stream of that kind, if it differs;
/// - `-`: exempt. The stream cannot be lowered, or the user has moved its slider since.
///
/// PulseAudio: the property `avaudiosession.ducked` of a client, and a file in the runtime directory.
package struct DuckLedger: Hashable, Sendable {
    /// The state of one stream.
    package enum Entry: Hashable, Sendable {
        /// Lowered, or about to be. Can move to: released.
        case lowered(Record)
        /// Exempt until the ducking ends. Final.
        case released
    }

    /// The data needed to restore a lowered stream.
    package struct Record: Hashable, Sendable {
        /// The `module-stream-restore.id` under which the server remembers the volume; empty if it does not.
        package var key: String
        /// The steps from the original volume to the lowered one; nil for PipeWire's soft volumes and for mutes.
        package var volumeSteps: DuckVolumeSteps?
        /// The volume that the server remembered before, if it was not the stream's own.
        package var remembered: [UInt32]?

        /// A record of a stream.
        package init(key: String = "", volumeSteps: DuckVolumeSteps? = nil, remembered: [UInt32]? = nil) {
            self.key = key
            self.volumeSteps = volumeSteps
            self.remembered = remembered
        }

        /// A record of a stream that is muted, of which only the process that muted it and its guard know.
        package static let mute = Record(key: "muted")
    }

    /// The longest text, in bytes.
    package static let longestText = 4096

    /// The cookie of the running server; stream indexes are valid on that server only.
    package let server: UInt32
    /// The client index of the process that lowers.
    package var owner: UInt32
    /// The number of changes of the file; a write based on an older revision is refused.
    package var revision: UInt64
    /// The entries by stream index.
    package private(set) var entries: [UInt32: Entry] = [:]
    /// The length of ``text`` in bytes, updated with each entry.
    private var length = Self.longestHeader

    private static let longestHeader = "1;server=ffffffff;owner=4294967295;revision=18446744073709551615".utf8.count

    /// A ledger without entries.
    package init(server: UInt32, owner: UInt32, revision: UInt64 = 0) {
        self.server = server
        self.owner = owner
        self.revision = revision
    }

    /// Whether there are no entries.
    package var isEmpty: Bool { entries.isEmpty }

    /// The record of a lowered stream; nil for any other stream.
    package func record(_ stream: UInt32) -> Record? {
        guard case .lowered(let record) = entries[stream] else { return nil }
        return record
    }

    /// The records of all lowered streams.
    package var records: [(stream: UInt32, record: Record)] {
        entries.keys.compactMap { key in record(key).map { (key, $0) } }
    }

    /// Adds an entry if there is room, and returns whether there was; a stream without an entry must not be lowered.
    @discardableResult
    package mutating func enter(_ entry: Entry, for stream: UInt32) -> Bool {
        let before = entries[stream].map { Self.encoded($0, stream).utf8.count } ?? 0
        let after = length - before + Self.encoded(entry, stream).utf8.count
        guard after <= Self.longestText else { return false }
        entries[stream] = entry
        length = after
        return true
    }

    /// Removes the entry of a stream.
    package mutating func remove(_ stream: UInt32) {
        guard let entry = entries.removeValue(forKey: stream) else { return }
        length -= Self.encoded(entry, stream).utf8.count
    }
}

// MARK: - As text

extension DuckLedger {
    /// The ledger as text.
    package var text: String {
        let head = "1;server=\(String(server, radix: 16));owner=\(owner);revision=\(revision)"
        return entries.sorted { $0.key < $1.key }.reduce(into: head) { $0 += Self.encoded($1.value, $1.key) }
    }

    private static func encoded(_ entry: Entry, _ stream: UInt32) -> String {
        guard case .lowered(let record) = entry else { return ";\(stream)=-" }
        var parts = [ClaimText.percentEncoded(record.key), "", ""]
        if let volumeSteps = record.volumeSteps {
            parts[1] = encoded(volumeSteps.original)
            parts[2] = String(volumeSteps.factor, radix: 16)
        }
        if let remembered = record.remembered { parts.append(encoded(remembered)) }
        return ";\(stream)=" + parts.joined(separator: ",")
    }

    private static func encoded(_ volume: [UInt32]) -> String {
        volume.map { String($0, radix: 16) }.joined(separator: ".")
    }

    /// Parses a ledger and skips malformed entries; nil if the text is not a ledger.
    package init?(_ text: String) {
        guard text.utf8.count <= Self.longestText, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            return nil
        }
        let fields = text.split(separator: ";", omittingEmptySubsequences: false)
        guard fields.first == "1", fields.count >= 4,
            let server = Self.number(fields[1], after: "server=", radix: 16, UInt32.self),
            let owner = Self.number(fields[2], after: "owner=", radix: 10, UInt32.self),
            let revision = Self.number(fields[3], after: "revision=", radix: 10, UInt64.self),
            // The process that takes the ledger over increments it.
            revision < 1 << 63
        else { return nil }
        self.init(server: server, owner: owner, revision: revision)
        for field in fields.dropFirst(4) {
            guard let equals = field.firstIndex(of: "="), let stream = UInt32(field[..<equals]),
                let entry = Self.entry(field[field.index(after: equals)...])
            else { continue }
            enter(entry, for: stream)
        }
    }

    private static func number<Number: FixedWidthInteger>(
        _ field: Substring, after prefix: String, radix: Int, _: Number.Type
    ) -> Number? {
        field.hasPrefix(prefix) ? Number(field.dropFirst(prefix.count), radix: radix) : nil
    }

    private static func entry(_ text: Substring) -> Entry? {
        if text == "-" { return .released }
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        guard (3...4).contains(parts.count), let key = ClaimText.percentDecoded(parts[0]) else { return nil }
        var record = Record(key: key)
        if !(parts[1].isEmpty && parts[2].isEmpty) {
            guard let original = volume(parts[1]), let factor = UInt32(parts[2], radix: 16),
                let volumeSteps = DuckVolumeSteps(from: original, by: factor)
            else { return nil }
            record.volumeSteps = volumeSteps
        }
        if parts.count == 4 {
            guard let remembered = volume(parts[3]) else { return nil }
            record.remembered = remembered
        }
        return .lowered(record)
    }

    private static func volume(_ text: Substring) -> [UInt32]? {
        let values = text.split(separator: ".", omittingEmptySubsequences: false).map { UInt32($0, radix: 16) }
        let volume = values.compactMap { $0 }
        guard volume.count == values.count, (1...32).contains(volume.count),
            volume.allSatisfy({ $0 <= DuckVolumeSteps.highest })
        else { return nil }
        return volume
    }
}
