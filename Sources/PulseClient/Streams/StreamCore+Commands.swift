internal import CPulse

// Commands that playback and record streams share. Each is answered on the loop's thread.
extension StreamCore {
    func cork(_ corked: Bool, completion: @escaping (Result<Void, PulseError>) -> Void) {
        command("pa_stream_cork", completion: completion) {
            pa_stream_cork($0, corked ? 1 : 0, streamCommandAnswered, $1)
        }
    }

    func flush(completion: @escaping (Result<Void, PulseError>) -> Void) {
        command("pa_stream_flush", completion: completion) { pa_stream_flush($0, streamCommandAnswered, $1) }
    }

    func updateTiming(completion: @escaping (Result<Void, PulseError>) -> Void) {
        command("pa_stream_update_timing_info", completion: completion) {
            pa_stream_update_timing_info($0, streamCommandAnswered, $1)
        }
    }

    func setBufferAttributes(
        _ attributes: BufferAttributes, completion: @escaping (Result<Void, PulseError>) -> Void
    ) {
        command("pa_stream_set_buffer_attr", completion: completion) {
            var raw = attributes.raw
            return pa_stream_set_buffer_attr($0, &raw, streamCommandAnswered, $1)
        }
    }

    func updateProperties(_ properties: PropertyList, completion: @escaping (Result<Void, PulseError>) -> Void) {
        command("pa_stream_proplist_update", completion: completion) { stream, userdata in
            properties.withRaw {
                pa_stream_proplist_update(stream, PA_UPDATE_REPLACE, $0, streamCommandAnswered, userdata)
            }
        }
    }
}
