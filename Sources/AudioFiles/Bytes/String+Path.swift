/// A reversible mapping between paths of any bytes and Swift strings.
///
/// File names are any bytes but 0 and the slash. A byte that is not part of UTF-8 becomes one of 128 private-use
/// characters, and so do the bytes of such a character in a name, so that different paths are different strings.
extension String {
    /// The text of a path that is these bytes.
    package init(path bytes: some Collection<UInt8>) {
        if let text = String(validating: bytes, as: UTF8.self), !text.unicodeScalars.contains(where: \.isLoneByte) {
            self = text
            return
        }
        var scalars = UnicodeScalarView()
        var rest = Array(bytes)[...]
        while let byte = rest.first {
            // The first beginning that is valid is one character.
            let starts = (1...4).lazy.compactMap { String(validating: rest.prefix($0), as: UTF8.self) }
            let scalar = starts.first?.unicodeScalars.first.flatMap { $0.isLoneByte ? nil : $0 }
            scalars.append(scalar ?? Unicode.Scalar(loneByte: byte))
            rest = rest.dropFirst(scalar.map { UTF8.width($0) } ?? 1)
        }
        self.init(scalars)
    }

    /// The text of a path that C has.
    package init(path pointer: UnsafePointer<CChar>) {
        // What nearly every path is, by what is no generic function.
        if let text = String(validatingCString: pointer), !text.hasLoneBytes {
            self = text
            return
        }
        var end = pointer
        while end.pointee != 0 { end += 1 }
        self.init(path: UnsafeRawBufferPointer(start: pointer, count: end - pointer))
    }

    /// The bytes of the path that this is the text of.
    package var pathBytes: [UInt8] {
        guard hasLoneBytes else { return Array(utf8) }
        return unicodeScalars.flatMap { $0.isLoneByte ? [UInt8(truncatingIfNeeded: $0.value)] : Array(String($0).utf8) }
    }

    /// The same for C, with the 0 at its end.
    package var pathForC: [CChar] { pathBytes.map { CChar(bitPattern: $0) } + [0] }

    /// Whether the path that this is the text of is not UTF-8, so that other text for it does not lead there.
    package var hasLoneBytes: Bool { unicodeScalars.contains(where: \.isLoneByte) }

    /// For people: each byte that is no part of UTF-8 is marked, as elsewhere.
    package var readablePath: String {
        guard hasLoneBytes else { return self }
        return String(UnicodeScalarView(unicodeScalars.map { $0.isLoneByte ? "\u{FFFD}" : $0 }))
    }
}

extension Unicode.Scalar {
    /// The last of the private planes, from where on a byte's number tells it.
    private static let bytes: UInt32 = 0x10FF00

    /// What stands for a byte that is no part of UTF-8, which none below 0x80 is.
    fileprivate init(loneByte byte: UInt8) { self = Unicode.Scalar(Self.bytes + UInt32(byte)) ?? "\u{FFFD}" }

    fileprivate var isLoneByte: Bool { value >= Self.bytes + 0x80 }
}
