internal import Locks

/// The channels of a stream, and their order.
///
/// Apple: `AVAudioChannelLayout`
public final class AVAudioChannelLayout: NSObject, Sendable {
    /// The bytes of Core Audio's structure, in the byte order of this machine; 32 or more.
    private let bytes: [UInt8]

    /// The channels and their order, as one of the `kAudioChannelLayoutTag_` constants.
    ///
    /// Apple: `AVAudioChannelLayout.layoutTag`
    public var layoutTag: AudioChannelLayoutTag { Self.number(bytes, at: 0) }

    /// The number of channels.
    ///
    /// Apple: `AVAudioChannelLayout.channelCount`
    public var channelCount: AVAudioChannelCount {
        switch layoutTag {
        case kAudioChannelLayoutTag_UseChannelDescriptions: Self.number(bytes, at: 8)
        case kAudioChannelLayoutTag_UseChannelBitmap: UInt32(Self.number(bytes, at: 4).nonzeroBitCount)
        default: AudioChannelLayoutTag_GetNumberOfChannels(layoutTag)
        }
    }

    /// The layout as Core Audio's structure, with all of its descriptions.
    ///
    /// The memory is never freed nor changed, as the object may be released before the pointer is read. A process has
    /// few distinct layouts.
    ///
    /// Apple: `AVAudioChannelLayout.layout`
    public var layout: UnsafePointer<AudioChannelLayout> { LentLayouts.address(of: bytes) }

    /// A layout with a tag; nil for tags without a number of channels.
    ///
    /// Apple: `AVAudioChannelLayout.init(layoutTag:)`
    public init?(layoutTag: AudioChannelLayoutTag) {
        guard AudioChannelLayoutTag_GetNumberOfChannels(layoutTag) > 0 else { return nil }
        bytes = withUnsafeBytes(of: layoutTag) { Array($0) } + [UInt8](repeating: 0, count: Self.least - 4)
    }

    /// A copy of Core Audio's structure, with as many descriptions as it says that it has.
    ///
    /// Apple: `AVAudioChannelLayout.init(layout:)`
    public init(layout: UnsafePointer<AudioChannelLayout>) {
        let count = Self.byteCount(descriptions: layout.pointee.mNumberChannelDescriptions)
        bytes = Self.cleaned(Array(UnsafeRawBufferPointer(start: layout, count: count)))
    }

    /// The layout in the bytes of Core Audio's structure; nil if they are too few, or define no channels.
    init?(data: Data) {
        let given = Array(data)
        guard given.count >= Self.header else { return nil }
        let descriptions = Self.number(given, at: 8)
        if Self.number(given, at: 0) == kAudioChannelLayoutTag_UseChannelDescriptions {
            guard given.count >= Self.byteCount(descriptions: descriptions) else { return nil }
        }
        let padding = [UInt8](repeating: 0, count: max(0, Self.least - given.count))
        bytes = Self.cleaned(given.prefix(Self.byteCount(descriptions: descriptions)) + padding)
        super.init()
        guard channelCount > 0 else { return nil }
    }

    /// The bytes of Core Audio's structure, in the byte order of this machine.
    var data: Data { Data(bytes) }

    /// A tag, a bitmap and a number of descriptions, of 4 bytes each.
    private static let header = 12
    /// The header, and one description.
    private static let least = MemoryLayout<AudioChannelLayout>.size

    private static func byteCount(descriptions: UInt32) -> Int {
        header + max(1, Int(descriptions)) * MemoryLayout<AudioChannelDescription>.size
    }

    /// The bytes with zeros in the place of a description that does not count.
    private static func cleaned(_ bytes: [UInt8]) -> [UInt8] {
        guard number(bytes, at: 8) == 0 else { return bytes }
        return bytes.prefix(header) + [UInt8](repeating: 0, count: least - header)
    }

    private static func number(_ bytes: [UInt8], at offset: Int) -> UInt32 {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt32.self) }
    }

    /// Whether the other object is the same layout.
    public override func isEqual(_ object: Any?) -> Bool { (object as? AVAudioChannelLayout)?.bytes == bytes }

    /// A hash of the tag.
    public override var hash: Int { layoutTag.hashValue }

    /// The tag and the number of channels, for logs.
    public override var description: String { "<AVAudioChannelLayout: tag \(layoutTag), \(channelCount) ch>" }
}

/// The layouts whose addresses the app has received; each distinct one is kept for the life of the process.
private enum LentLayouts {
    /// The addresses, as numbers; the memory behind one never changes.
    private static let addresses = Guarded<[[UInt8]: UInt]>([:])

    static func address(of bytes: [UInt8]) -> UnsafePointer<AudioChannelLayout> {
        let number = addresses.withLock { addresses in
            if let known = addresses[bytes] { return known }
            let memory = UnsafeMutableRawBufferPointer.allocate(
                byteCount: bytes.count, alignment: MemoryLayout<AudioChannelLayout>.alignment)
            memory.copyBytes(from: bytes)
            let number = UInt(bitPattern: memory.baseAddress)
            addresses[bytes] = number
            return number
        }
        guard let address = UnsafePointer<AudioChannelLayout>(bitPattern: number) else {
            preconditionFailure("Memory has an address.")
        }
        return address
    }
}
