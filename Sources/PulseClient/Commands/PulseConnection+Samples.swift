internal import CPulse

// The sample cache: sounds that the server stores and mixes itself. Their playback streams belong to the server, and
// continue when the client that requested them is gone.

extension PulseConnection {
    /// The largest sample, in bytes; PulseAudio accepts this size, PipeWire one byte less.
    ///
    /// PulseAudio: `PA_SCACHE_ENTRY_SIZE_MAX`.
    public static let longestSample = 16 * 1024 * 1024 - 1

    /// Stores a sound in the server's sample cache, in place of one of the same name.
    ///
    /// Fails with ``PulseError/Code/tooLarge`` for more than ``longestSample``, and with
    /// ``PulseError/Code/invalidArgument`` for an empty sound, incomplete frames, and formats or names that the server
    /// does not accept: a name has at most 127 of the characters `a–z A–Z 0–9 . _ -`.
    ///
    /// - Parameters:
    ///   - name: The name for playback.
    ///   - spec: The format of the frames.
    ///   - map: The loudspeakers of the channels; nil for the server's default.
    ///   - properties: Properties of the playback stream, such as `media.role`.
    ///   - frames: The whole sound, interleaved.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_stream_connect_upload`, `pa_stream_finish_upload`.
    public func uploadSample(
        named name: String, spec: SampleSpec, map: ChannelMap? = nil, properties: PropertyList = [:], frames: [UInt8],
        completion: @escaping Completion<Void>
    ) {
        let call = "pa_stream_connect_upload"
        guard spec.isValid, !frames.isEmpty, frames.count.isMultiple(of: spec.bytesPerFrame) else {
            return completion(.failure(PulseError(.invalidArgument, in: call)))
        }
        guard frames.count <= Self.longestSample else { return completion(.failure(PulseError(.tooLarge, in: call))) }
        do throws(PulseError) {
            let context = try ready(for: call)
            // The stream's name may be different.
            let list = properties.merging(["event.id": name])
            var raw = spec.raw
            let stream = list.withRaw { list in
                withUnsafeRaw(of: map) {
                    pa_stream_new_with_proplist(context, properties["media.name"] ?? name, &raw, $0, list)
                }
            }
            guard let stream else { throw PulseError(context: context, in: "pa_stream_new") }
            SampleUpload(stream: stream, frames: frames, completion: completion).begin()
        } catch {
            completion(.failure(error))
        }
    }

    /// Plays a sample once; the answer is the index of its playback stream.
    ///
    /// Takes one request. Fails with ``PulseError/Code/noSuchEntity`` if there is no such sample or sink. The stream's
    /// end is reported like that of any playback stream (``SubscriptionMask/sinkInput``).
    ///
    /// - Parameters:
    ///   - name: The sample's name.
    ///   - sink: A sink's name; nil for the default one.
    ///   - properties: Properties that override the sample's own; the default `media.role` is `event`.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_play_sample_with_proplist`.
    public func playSample(
        named name: String, on sink: String? = nil, properties: PropertyList = [:],
        completion: @escaping Completion<UInt32> = { _ in }
    ) {
        index("pa_context_play_sample_with_proplist", completion: completion) { context, userdata in
            properties.withRaw {
                // No volume: the user's volume for such sounds applies.
                pa_context_play_sample_with_proplist(
                    context, name, sink, pa_volume_t.max, $0, indexAnswered, userdata)
            }
        }
    }

    /// Removes a sample; streams that play it continue.
    ///
    /// Returns at once; `completion` receives success or the error.
    ///
    /// PulseAudio: `pa_context_remove_sample`.
    public func removeSample(named name: String, completion: @escaping Completion<Void> = { _ in }) {
        command("pa_context_remove_sample", completion: completion) {
            pa_context_remove_sample($0, name, commandAnswered, $1)
        }
    }

    /// Fetches all samples.
    ///
    /// Returns at once; `completion` receives the answer or the error.
    ///
    /// PulseAudio: `pa_context_get_sample_info_list`.
    public func samples(completion: @escaping Completion<[Sample]>) {
        list("pa_context_get_sample_info_list", of: pa_sample_info.self, { Sample($0) }, completion: completion) {
            pa_context_get_sample_info_list($0, sampleAnswered, $1)
        }
    }

    /// Fetches all samples.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_get_sample_info_list`.
    public func samples() async throws(PulseError) -> [Sample] { try await answer { samples(completion: $0) } }

    /// Stores a sound in the server's sample cache; returns when the server has it.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_stream_connect_upload`, `pa_stream_finish_upload`.
    public func uploadSample(
        named name: String, spec: SampleSpec, map: ChannelMap? = nil, properties: PropertyList = [:], frames: [UInt8]
    ) async throws(PulseError) {
        try await answer {
            uploadSample(
                named: name, spec: spec, map: map, properties: properties, frames: frames, completion: $0)
        }
    }

    /// Plays a sample once; returns the index of the playback stream.
    ///
    /// PulseAudio: `pa_context_play_sample_with_proplist`.
    @discardableResult
    public func playSample(
        named name: String, on sink: String? = nil, properties: PropertyList = [:]
    ) async throws(PulseError) -> UInt32 {
        try await answer { playSample(named: name, on: sink, properties: properties, completion: $0) }
    }

    /// Removes a sample.
    ///
    /// Suspends until the server has answered; throws its error.
    ///
    /// PulseAudio: `pa_context_remove_sample`.
    public func removeSample(named name: String) async throws(PulseError) {
        try await answer { removeSample(named: name, completion: $0) }
    }
}

private func sampleAnswered(
    _ context: OpaquePointer?, _ info: UnsafePointer<pa_sample_info>?, _ endOfList: Int32,
    userdata: UnsafeMutableRawPointer?
) {
    PendingRequest.from(userdata)?.received(info, endOfList: endOfList, context: context)
}
