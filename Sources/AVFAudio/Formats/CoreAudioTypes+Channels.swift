/// The position or purpose of a channel.
///
/// Apple: `AudioChannelLabel`
public typealias AudioChannelLabel = UInt32

/// The channels of a stream and their order; the low 16 bits are the number of channels.
///
/// Apple: `AudioChannelLayoutTag`
public typealias AudioChannelLayoutTag = UInt32

// MARK: Labels

/// An unknown channel.
public let kAudioChannelLabel_Unknown: AudioChannelLabel = 0xFFFF_FFFF

/// An unused channel.
public let kAudioChannelLabel_Unused: AudioChannelLabel = 0

/// Left.
public let kAudioChannelLabel_Left: AudioChannelLabel = 1

/// Right.
public let kAudioChannelLabel_Right: AudioChannelLabel = 2

/// Centre.
public let kAudioChannelLabel_Center: AudioChannelLabel = 3

/// Low frequencies.
public let kAudioChannelLabel_LFEScreen: AudioChannelLabel = 4

/// Left, beside or behind the listener.
public let kAudioChannelLabel_LeftSurround: AudioChannelLabel = 5

/// Right, beside or behind the listener.
public let kAudioChannelLabel_RightSurround: AudioChannelLabel = 6

/// Left of the centre.
public let kAudioChannelLabel_LeftCenter: AudioChannelLabel = 7

/// Right of the centre.
public let kAudioChannelLabel_RightCenter: AudioChannelLabel = 8

/// Behind the listener.
public let kAudioChannelLabel_CenterSurround: AudioChannelLabel = 9

/// The only channel of a mono stream.
public let kAudioChannelLabel_Mono: AudioChannelLabel = 42

/// The first of the channels that are only numbered.
public let kAudioChannelLabel_Discrete_0: AudioChannelLabel = 1 << 16

// MARK: Layouts

/// A layout by descriptions of single channels.
public let kAudioChannelLayoutTag_UseChannelDescriptions: AudioChannelLayoutTag = 0

/// A layout by a bitmap.
public let kAudioChannelLayoutTag_UseChannelBitmap: AudioChannelLayoutTag = 1 << 16

/// One channel.
public let kAudioChannelLayoutTag_Mono: AudioChannelLayoutTag = 100 << 16 | 1

/// Left, right.
public let kAudioChannelLayoutTag_Stereo: AudioChannelLayoutTag = 101 << 16 | 2

/// Left and right for headphones.
public let kAudioChannelLayoutTag_StereoHeadphones: AudioChannelLayoutTag = 102 << 16 | 2

/// Left and right as recorded at a listener's ears.
public let kAudioChannelLayoutTag_Binaural: AudioChannelLayoutTag = 106 << 16 | 2

/// Front left and right, rear left and right.
public let kAudioChannelLayoutTag_Quadraphonic: AudioChannelLayoutTag = 108 << 16 | 4

/// Left, right, rear left and right, centre.
public let kAudioChannelLayoutTag_Pentagonal: AudioChannelLayoutTag = 109 << 16 | 5

/// Left, right, rear left and right, centre, rear.
public let kAudioChannelLayoutTag_Hexagonal: AudioChannelLayoutTag = 110 << 16 | 6

/// Front, rear and side pairs, centre, rear.
public let kAudioChannelLayoutTag_Octagonal: AudioChannelLayoutTag = 111 << 16 | 8

/// Left, right, centre.
public let kAudioChannelLayoutTag_MPEG_3_0_A: AudioChannelLayoutTag = 113 << 16 | 3

/// Centre, left, right.
public let kAudioChannelLayoutTag_MPEG_3_0_B: AudioChannelLayoutTag = 114 << 16 | 3

/// Left, right, centre, rear.
public let kAudioChannelLayoutTag_MPEG_4_0_A: AudioChannelLayoutTag = 115 << 16 | 4

/// Left, right, centre, surround pair.
public let kAudioChannelLayoutTag_MPEG_5_0_A: AudioChannelLayoutTag = 117 << 16 | 5

/// Left, right, centre, low frequencies, surround pair.
public let kAudioChannelLayoutTag_MPEG_5_1_A: AudioChannelLayoutTag = 121 << 16 | 6

/// The channels of 5.1 A, and a rear centre.
public let kAudioChannelLayoutTag_MPEG_6_1_A: AudioChannelLayoutTag = 125 << 16 | 7

/// The channels of 5.1 A, and a pair beside the centre.
public let kAudioChannelLayoutTag_MPEG_7_1_A: AudioChannelLayoutTag = 126 << 16 | 8

/// Channels that are only numbered; to be combined with their number.
public let kAudioChannelLayoutTag_DiscreteInOrder: AudioChannelLayoutTag = 147 << 16

/// Channels in an unknown order; to be combined with their number.
public let kAudioChannelLayoutTag_Unknown: AudioChannelLayoutTag = 0xFFFF_0000

/// The number of channels in a layout.
///
/// Apple: `AudioChannelLayoutTag_GetNumberOfChannels`
public func AudioChannelLayoutTag_GetNumberOfChannels(_ inLayoutTag: AudioChannelLayoutTag) -> UInt32 {
    inLayoutTag & 0xFFFF
}
