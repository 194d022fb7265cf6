internal import AudioFiles
internal import Foundation

extension URL {
    /// Whether the URL names a file: one of the scheme `file`, or an absolute path without a scheme, as of
    /// `URL(string: "/a.wav")`, which Apple's players and recorders accept too.
    package var namesFile: Bool { isFileURL || scheme == nil && host == nil && path.hasPrefix("/") }

    /// The path of a file URL, in the form that this library's readers and writers take.
    ///
    /// A URL can name any file, such as `file:///old/caf%E9.wav`, and GTK's file choosers return such URLs. Foundation
    /// has no path for a name that is not UTF-8.
    package var filePath: String {
        // Without percent encoding nothing must be decoded, for which Foundation would first build a character set.
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

    /// The URL of a file with a path of the form of ``filePath``.
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
