internal import Glibc

/// A text as a C string, at the same address for as long as the object lives.
final class CText: Sendable {
    /// The address, as a number because pointers are not `Sendable`; nothing writes to it.
    private let address: UInt

    /// A copy of a text; a zero byte ends it.
    init(_ text: String) { address = UInt(bitPattern: strdup(text)) }

    deinit { free(UnsafeMutableRawPointer(bitPattern: address)) }

    /// The C string; nil if there was no memory for it.
    var pointer: UnsafePointer<CChar>? { UnsafePointer(bitPattern: address) }
}

/// Texts in one block of memory, behind a list of their addresses that ends with NULL; for `avas_free`.
///
/// - Returns: nil if there is no memory for it.
func block(of texts: [[UInt8]]) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? {
    let list = (texts.count + 1) * MemoryLayout<UnsafeMutablePointer<CChar>?>.stride
    let size = texts.reduce(list) { $0 + $1.count + 1 }
    guard let block = malloc(size) else { return nil }
    let addresses = block.bindMemory(to: UnsafeMutablePointer<CChar>?.self, capacity: texts.count + 1)
    var next = (block + list).bindMemory(to: CChar.self, capacity: size - list)
    for (index, text) in texts.enumerated() {
        addresses[index] = next
        for byte in text + [0] {
            next.pointee = CChar(bitPattern: byte)
            next += 1
        }
    }
    addresses[texts.count] = nil
    return addresses
}
