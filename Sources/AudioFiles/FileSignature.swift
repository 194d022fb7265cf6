/// The types of file that are handed to libsndfile, told by their first bytes.
///
/// libsndfile knows two dozen more, some without any signature; a text file must not be taken for one of those, and
/// their parsers need not meet files from strangers.
enum FileSignature {
    case wave, otherRIFF, aiff, caf, flac, ogg, w64, au, mpeg

    init?(_ source: ByteSource) {
        let head = source.bytes(at: 0, count: 16)
        func has(_ text: String, at offset: Int = 0) -> Bool {
            head.dropFirst(offset).prefix(text.utf8.count).elementsEqual(text.utf8)
        }
        if has("RIFF") && has("WAVE", at: 8) {
            self = .wave
        } else if (has("RIFX") || has("RF64")) && has("WAVE", at: 8) {
            self = .otherRIFF
        } else if has("FORM") && (has("AIFF", at: 8) || has("AIFC", at: 8)) {
            self = .aiff
        } else if has("caff") {
            self = .caf
        } else if has("fLaC") {
            self = .flac
        } else if has("OggS") {
            self = .ogg
        } else if has("riff\u{2e}") {
            self = .w64
        } else if has(".snd") || has("dns.") {
            self = .au
        } else if MPEGStream.isStream(source) {
            self = .mpeg
        } else {
            return nil
        }
    }
}
