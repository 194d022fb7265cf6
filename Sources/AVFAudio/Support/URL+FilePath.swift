internal import AudioFiles
internal import Foundation

extension URL {
    /// The path of a file as the readers and writers of files take it.
    ///
    /// A URL can name any file, as `file:///old/caf%E9.wav` does, and GTK's choosers of files return such URLs. Foundation has
    /// no path for one whose name is not UTF-8.
    package var filePath: String {
        // Where nothing is encoded there is nothing to decode, for which Foundation makes a set of characters first.
        if baseURL == nil {
            let encoded = path(percentEncoded: true)
            if !encoded.isEmpty, !encoded.utf8.contains(UInt8(ascii: "%")), encoded.utf8.last != UInt8(ascii: "/") {
                return encoded
            }
        }
        let path = path
        guard path.isEmpty else { return String(path: path.utf8) }
        return String(path: Self.bytes(ofPercentEncoded: absoluteURL.path(percentEncoded: true)))
    }

    /// The URL of a file whose path ``filePath`` may have been.
    package init(fileAt text: String) {
        guard text.hasLoneBytes, text.hasPrefix("/") else {
            self.init(fileURLWithPath: text, isDirectory: false)
            return
        }
        let plain = CharacterSet.urlPathAllowed
        let encoded = text.pathBytes.map { byte in
            let isPlain = byte < 0x80 && plain.contains(Unicode.Scalar(byte))
            return isPlain ? String(Unicode.Scalar(byte)) : "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        self = URL(string: "file://" + encoded.joined()) ?? URL(fileURLWithPath: text, isDirectory: false)
    }

    private static func bytes(ofPercentEncoded text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            let digits = String(decoding: rest.prefix(2), as: UTF8.self)
            if byte == UInt8(ascii: "%"), let value = UInt8(digits, radix: 16) {
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
