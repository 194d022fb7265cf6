extension AVAudioSession {
    /// The kind of a port.
    ///
    /// Apple: `AVAudioSession.Port`
    public struct Port: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Apple's string.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string itself, which programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Port {
    /// An analog line input.
    public static let lineIn = Self(rawValue: "LineIn")
    /// The built-in microphone.
    public static let builtInMic = Self(rawValue: "MicrophoneBuiltIn")
    /// The microphone of a wired headset.
    public static let headsetMic = Self(rawValue: "MicrophoneWired")
    /// The microphone of another device nearby.
    public static let continuityMicrophone = Self(rawValue: "ContinuityMicrophone")
    /// An analog line output.
    public static let lineOut = Self(rawValue: "LineOut")
    /// Wired headphones.
    public static let headphones = Self(rawValue: "Headphones")
    /// Bluetooth headphones or speakers, output only.
    public static let bluetoothA2DP = Self(rawValue: "BluetoothA2DPOutput")
    /// The built-in speaker that is held to the ear.
    public static let builtInReceiver = Self(rawValue: "Receiver")
    /// The built-in speakers.
    public static let builtInSpeaker = Self(rawValue: "Speaker")
    /// A screen or amplifier at an HDMI connector.
    public static let HDMI = Self(rawValue: "HDMIOutput")
    /// An AirPlay receiver on the network.
    public static let airPlay = Self(rawValue: "AirPlay")
    /// A Bluetooth LE Audio device.
    public static let bluetoothLE = Self(rawValue: "BluetoothLE")
    /// A Bluetooth headset with its microphone.
    public static let bluetoothHFP = Self(rawValue: "BluetoothHFP")
    /// A USB sound device.
    public static let usbAudio = Self(rawValue: "USBAudio")
    /// The sound system of a car.
    public static let carAudio = Self(rawValue: "CarAudio")
    /// A device without hardware, such as a null sink.
    public static let virtual = Self(rawValue: "Virtual")
    /// A PCI sound card.
    public static let PCI = Self(rawValue: "PCI")
    /// A FireWire sound device.
    public static let fireWire = Self(rawValue: "FireWire")
    /// A screen at a DisplayPort connector.
    public static let displayPort = Self(rawValue: "DisplayPort")
    /// A sound device on an AVB network.
    public static let AVB = Self(rawValue: "AVB")
    /// A Thunderbolt sound device.
    public static let thunderbolt = Self(rawValue: "Thunderbolt")
    /// A device of a system extension; Apple's string is not published.
    public static let mediaDeviceExtension = Self(rawValue: "MediaDeviceExtension")
}

extension AVAudioSession {
    /// The location of a data source on the machine.
    ///
    /// Apple: `AVAudioSession.Location`
    public struct Location: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// Apple's string.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, so that a literal can replace an optional value in interpolations.
        public init(stringLiteral value: String) { self.rawValue = value }

        /// The string itself, which programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Location {
    /// Near the top.
    public static let upper = Self(rawValue: "Upper")
    /// Near the bottom.
    public static let lower = Self(rawValue: "Lower")
}

extension AVAudioSession {
    /// The direction of a data source.
    ///
    /// Apple: `AVAudioSession.Orientation`
    public struct Orientation: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
    {
        /// Apple's string.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, so that a literal can replace an optional value in interpolations.
        public init(stringLiteral value: String) { self.rawValue = value }

        /// The string itself, which programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Orientation {
    /// Upwards.
    public static let top = Self(rawValue: "Top")
    /// Downwards.
    public static let bottom = Self(rawValue: "Bottom")
    /// Towards the screen's side.
    public static let front = Self(rawValue: "Front")
    /// Away from the screen.
    public static let back = Self(rawValue: "Back")
    /// To the left.
    public static let left = Self(rawValue: "Left")
    /// To the right.
    public static let right = Self(rawValue: "Right")
}

extension AVAudioSession {
    /// The directions from which a data source picks up sound.
    ///
    /// Apple: `AVAudioSession.PolarPattern`
    public struct PolarPattern: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
        ExpressibleByStringLiteral
    {
        /// Apple's string.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, so that a literal can replace an optional value in interpolations.
        public init(stringLiteral value: String) { self.rawValue = value }

        /// The string itself, which programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.PolarPattern {
    /// All directions.
    public static let omnidirectional = Self(rawValue: "Omnidirectional")
    /// The front.
    public static let cardioid = Self(rawValue: "Cardioid")
    /// Mostly the front.
    public static let subcardioid = Self(rawValue: "Subcardioid")
    /// Left and right, as two channels.
    public static let stereo = Self(rawValue: "Stereo")
}
