internal import CPulse

/// The server's stored settings for a kind of stream, applied to the next stream of that kind.
///
/// PulseAudio: `pa_ext_stream_restore_info`.
public struct StreamRestoreEntry: Hashable, Sendable {
    /// The kind of stream, such as `sink-input-by-media-role:music` or `sink-input-by-application-name:Player`.
    public let name: String
    /// The channels of ``volume``.
    public var map: ChannelMap
    /// The volume; nil if none is stored.
    public var volume: Volume?
    /// Whether the stream was muted.
    public var isMuted: Bool
    /// The name of the sink or source; nil if none is stored.
    public var device: String?

    /// Creates an entry to write; the volume must have one value for each channel of the map.
    public init(
        name: String, map: ChannelMap = ChannelMap([.mono]), volume: Volume? = nil, isMuted: Bool = false,
        device: String? = nil
    ) {
        self.name = name
        self.map = map
        self.volume = volume
        self.isMuted = isMuted
        self.device = device
    }

    init(_ raw: pa_ext_stream_restore_info) {
        name = text(raw.name)
        map = ChannelMap(raw.channel_map)
        volume = raw.volume.channels == 0 ? nil : Volume(raw.volume)
        isMuted = raw.mute != 0
        device = optionalText(raw.device)
    }
}

extension PulseConnection {
    /// Fetches the server's stored volumes, mutes and devices of streams.
    ///
    /// Fails with ``PulseError/Code/notSupported`` or ``PulseError/Code/noSuchExtension`` if the server stores none.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_ext_stream_restore_read`.
    public func restoreEntries(completion: @escaping Completion<[StreamRestoreEntry]>) {
        list(
            "pa_ext_stream_restore_read", of: pa_ext_stream_restore_info.self, StreamRestoreEntry.init,
            completion: completion
        ) {
            pa_ext_stream_restore_read($0, restoreEntryAnswered, $1)
        }
    }

    /// Replaces the server's stored volumes, mutes and devices of streams, by name.
    ///
    /// - Parameters:
    ///   - entries: The entries to store.
    ///   - applyImmediately: Whether current streams change too: all of that kind, of every application.
    ///   - completion: Called with success or the error.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_ext_stream_restore_write` with `PA_UPDATE_REPLACE`.
    public func writeRestoreEntries(
        _ entries: [StreamRestoreEntry], applyImmediately: Bool = false,
        completion: @escaping Completion<Void> = { _ in }
    ) {
        command("pa_ext_stream_restore_write", completion: completion) { context, userdata in
            // Names and devices of entry i are strings 2i and 2i + 1; an empty device means none.
            withCStrings(entries.flatMap { [$0.name, $0.device ?? ""] }) { strings in
                let raw = entries.indices.map { index in
                    let entry = entries[index]
                    return pa_ext_stream_restore_info(
                        name: strings?[2 * index], channel_map: entry.map.raw,
                        volume: entry.volume?.raw ?? pa_cvolume(),
                        device: entry.device == nil ? nil : strings?[2 * index + 1], mute: entry.isMuted ? 1 : 0)
                }
                return pa_ext_stream_restore_write(
                    context, PA_UPDATE_REPLACE, raw, UInt32(raw.count), applyImmediately ? 1 : 0, commandAnswered,
                    userdata)
            }
        }
    }

    /// Removes the server's stored volumes, mutes and devices of streams, by name.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_ext_stream_restore_delete`.
    public func deleteRestoreEntries(_ names: [String], completion: @escaping Completion<Void> = { _ in }) {
        command("pa_ext_stream_restore_delete", completion: completion) { context, userdata in
            withCStrings(names) { pa_ext_stream_restore_delete(context, $0, commandAnswered, userdata) }
        }
    }
}

private func restoreEntryAnswered(
    _ context: OpaquePointer?, info: UnsafePointer<pa_ext_stream_restore_info>?, end: Int32,
    data: UnsafeMutableRawPointer?
) {
    PendingRequest.from(data)?.received(info, endOfList: end, context: context)
}
