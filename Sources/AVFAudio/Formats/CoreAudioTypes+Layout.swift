// Core Audio's structures for the order of channels, as their bytes are in C: `AVChannelLayoutKey` takes these.

/// The channels of a layout, one bit each.
///
/// Apple: `AudioChannelBitmap`; each bit is Apple's constant of the same name.
public struct AudioChannelBitmap: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// A bitmap of these bits.
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

/// What the coordinates of a channel mean.
///
/// Apple: `AudioChannelFlags`; each flag is Apple's constant of the same name.
public struct AudioChannelFlags: OptionSet, Hashable, Sendable {
    /// The bits.
    public var rawValue: UInt32

    /// Flags of these bits.
    public init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Left and right, back and front, down and up.
    public static let rectangularCoordinates = AudioChannelFlags(rawValue: 1 << 0)
    /// Azimuth, elevation, distance.
    public static let sphericalCoordinates = AudioChannelFlags(rawValue: 1 << 1)
    /// In metres, and not relative to the loudspeakers.
    public static let meters = AudioChannelFlags(rawValue: 1 << 2)
}

/// One channel of a layout, in 20 bytes.
///
/// Apple: `AudioChannelDescription`; so are its members.
public struct AudioChannelDescription: Sendable {
    /// What the channel is for: one of the `kAudioChannelLabel_` constants.
    public var mChannelLabel: AudioChannelLabel
    /// What the coordinates mean; empty if they are not used.
    public var mChannelFlags: AudioChannelFlags
    /// Where the loudspeaker stands, as the flags say.
    public var mCoordinates: (Float32, Float32, Float32)

    /// A channel that is not used: all bytes are 0.
    public init() { self.init(mChannelLabel: 0, mChannelFlags: [], mCoordinates: (0, 0, 0)) }

    /// A channel.
    public init(
        mChannelLabel: AudioChannelLabel, mChannelFlags: AudioChannelFlags, mCoordinates: (Float32, Float32, Float32)
    ) {
        self.mChannelLabel = mChannelLabel
        self.mChannelFlags = mChannelFlags
        self.mCoordinates = mCoordinates
    }
}

/// Which channels there are, in which order, in 32 bytes: by a tag, by a bitmap, or described one by one.
///
/// Its bytes are a value of ``AVChannelLayoutKey``: `Data(bytes: &layout, count: MemoryLayout<AudioChannelLayout>.size)`.
/// Recorders take how many channels it has from them.
///
/// Apple: `AudioChannelLayout`; so are its members.
public struct AudioChannelLayout: Sendable {
    /// The order: one of the `kAudioChannelLayoutTag_` constants.
    public var mChannelLayoutTag: AudioChannelLayoutTag
    /// The channels, for the tag ``kAudioChannelLayoutTag_UseChannelBitmap``.
    public var mChannelBitmap: AudioChannelBitmap
    /// How many descriptions there are, for the tag ``kAudioChannelLayoutTag_UseChannelDescriptions``.
    public var mNumberChannelDescriptions: UInt32
    /// The first description; others follow it in memory.
    public var mChannelDescriptions: (AudioChannelDescription)

    /// A layout whose bytes are all 0: channels that are described one by one, and there is none.
    public init() {
        self.init(
            mChannelLayoutTag: 0, mChannelBitmap: [], mNumberChannelDescriptions: 0, mChannelDescriptions: .init())
    }

    /// A layout.
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
