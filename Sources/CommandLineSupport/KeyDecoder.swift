/// A key that the programs react to.
package enum Key: Equatable, Sendable {
    /// The arrow keys.
    case left, right, up, down
    /// Any other key, by the character it types.
    case character(Character)
}

/// A decoder of a terminal's bytes into keys; a sequence may arrive in pieces.
package struct KeyDecoder: Sendable {
    private var pending: [UInt8] = []

    /// Creates a decoder.
    package init() {}

    /// The keys that are complete after these bytes.
    package mutating func feed(_ bytes: some Sequence<UInt8>) -> [Key] {
        var keys: [Key] = []
        for byte in bytes {
            pending.append(byte)
            if pending.count == 1 {
                if byte != escape { take(.character(Character(Unicode.Scalar(byte))), into: &keys) }
            } else if pending.count == 2 {
                // ESC [ and ESC O start an arrow key (the latter in application mode); otherwise it was the Escape key.
                if byte != UInt8(ascii: "["), byte != UInt8(ascii: "O") { pending = [] }
            } else if (0x40...0x7E).contains(byte) {
                take(arrow(byte), into: &keys)
            }
        }
        return keys
    }

    private mutating func take(_ key: Key?, into keys: inout [Key]) {
        if let key { keys.append(key) }
        pending = []
    }

    private func arrow(_ byte: UInt8) -> Key? {
        switch byte {
        case UInt8(ascii: "A"): .up
        case UInt8(ascii: "B"): .down
        case UInt8(ascii: "C"): .right
        case UInt8(ascii: "D"): .left
        default: nil
        }
    }
}

private let escape: UInt8 = 0x1B
