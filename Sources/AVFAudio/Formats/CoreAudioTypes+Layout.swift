// Core Audio's C structures for channel layouts, with their layout in memory, which `AVChannelLayoutKey` takes.

/// The channels of a layout, one bit each.
///
/// Apple: `AudioChannelBitmap`; each bit is Apple's constant of the same name.
public struct AudioChannelBitmap: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Left.
    public static let bit_Left = AudioChannelBitmap(rawValue: 1 << 0)
    /// Right.
    public static let bit_Right = AudioChannelBitmap(rawValue: 1 << 1)
    /// Centre.
    public static let bit_Center = AudioChannelBitmap(rawValue: 1 << 2)
    /// Low frequencies.
    public static let bit_LFEScreen = AudioChannelBitmap(rawValue: 1 << 3)
    /// Left, beside or behind the listener.
    public static let bit_LeftSurround = AudioChannelBitmap(rawValue: 1 << 4)
    /// Right, beside or behind the listener.
    public static let bit_RightSurround = AudioChannelBitmap(rawValue: 1 << 5)
    /// Left of the centre.
    public static let bit_LeftCenter = AudioChannelBitmap(rawValue: 1 << 6)
    /// Right of the centre.
    public static let bit_RightCenter = AudioChannelBitmap(rawValue: 1 << 7)
    /// Behind the listener.
    public static let bit_CenterSurround = AudioChannelBitmap(rawValue: 1 << 8)
    /// Left beside the listener.
    public static let bit_LeftSurroundDirect = AudioChannelBitmap(rawValue: 1 << 9)
    /// Right beside the listener.
    public static let bit_RightSurroundDirect = AudioChannelBitmap(rawValue: 1 << 10)
    /// Above the listener.
    public static let bit_TopCenterSurround = AudioChannelBitmap(rawValue: 1 << 11)
    /// Left, high in front.
    public static let bit_VerticalHeightLeft = AudioChannelBitmap(rawValue: 1 << 12)
    /// Centre, high in front.
    public static let bit_VerticalHeightCenter = AudioChannelBitmap(rawValue: 1 << 13)
    /// Right, high in front.
    public static let bit_VerticalHeightRight = AudioChannelBitmap(rawValue: 1 << 14)
    /// Left, high behind.
    public static let bit_TopBackLeft = AudioChannelBitmap(rawValue: 1 << 15)
    /// Centre, high behind.
    public static let bit_TopBackCenter = AudioChannelBitmap(rawValue: 1 << 16)
    /// Right, high behind.
    public static let bit_TopBackRight = AudioChannelBitmap(rawValue: 1 << 17)
}

/// The meaning of a channel's coordinates.
///
/// Apple: `AudioChannelFlags`; each flag is Apple's constant of the same name.
public struct AudioChannelFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// A set of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Left and right, back and front, down and up.
    public static let rectangularCoordinates = AudioChannelFlags(rawValue: 1 << 0)
    /// Azimuth, elevation, distance.
    public static let sphericalCoordinates = AudioChannelFlags(rawValue: 1 << 1)
    /// Distances in metres, and not relative to the loudspeakers.
    public static let meters = AudioChannelFlags(rawValue: 1 << 2)
}

/// A channel of a layout, of 20 bytes.
///
/// Apple: `AudioChannelDescription`; so are its members.
public struct AudioChannelDescription: Sendable {
    /// The channel's position or purpose: one of the `kAudioChannelLabel_` constants.
    public var mChannelLabel: AudioChannelLabel
    /// The meaning of the coordinates; empty if they are not used.
    public var mChannelFlags: AudioChannelFlags
    /// The loudspeaker's position, in the meaning of the flags.
    public var mCoordinates: (Float32, Float32, Float32)

    /// An unused channel: all bytes are 0.
    public init() { self.init(mChannelLabel: 0, mChannelFlags: [], mCoordinates: (0, 0, 0)) }

    /// A channel with these values.
    public init(
        mChannelLabel: AudioChannelLabel, mChannelFlags: AudioChannelFlags, mCoordinates: (Float32, Float32, Float32)
    ) {
        self.mChannelLabel = mChannelLabel
        self.mChannelFlags = mChannelFlags
        self.mCoordinates = mCoordinates
    }
}

/// A channel layout of 32 bytes: a tag, a bitmap, or descriptions of single channels.
///
/// The bytes are a value of ``AVChannelLayoutKey``:
/// `Data(bytes: &layout, count: MemoryLayout<AudioChannelLayout>.size)`. Recorders take the number of channels from
/// them.
///
/// Apple: `AudioChannelLayout`; so are its members.
public struct AudioChannelLayout: Sendable {
    /// The channels and their order: one of the `kAudioChannelLayoutTag_` constants.
    public var mChannelLayoutTag: AudioChannelLayoutTag
    /// The channels, for the tag ``kAudioChannelLayoutTag_UseChannelBitmap``.
    public var mChannelBitmap: AudioChannelBitmap
    /// The number of descriptions, for the tag ``kAudioChannelLayoutTag_UseChannelDescriptions``.
    public var mNumberChannelDescriptions: UInt32
    /// The first description; the others follow in memory.
    public var mChannelDescriptions: (AudioChannelDescription)

    /// An empty layout: all bytes are 0, which means no descriptions of single channels.
    public init() {
        self.init(
            mChannelLayoutTag: 0, mChannelBitmap: [], mNumberChannelDescriptions: 0, mChannelDescriptions: .init())
    }

    /// A layout with these values.
    public init(
        mChannelLayoutTag: AudioChannelLayoutTag, mChannelBitmap: AudioChannelBitmap,
        mNumberChannelDescriptions: UInt32, mChannelDescriptions: (AudioChannelDescription)
    ) {
        self.mChannelLayoutTag = mChannelLayoutTag
        self.mChannelBitmap = mChannelBitmap
        self.mNumberChannelDescriptions = mNumberChannelDescriptions
        self.mChannelDescriptions = mChannelDescriptions
    }
}
