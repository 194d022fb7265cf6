extension AVAudioSession {
    /// What kind of connector or radio a port is.
    ///
    /// Apple: `AVAudioSession.Port`
    public struct Port: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
        /// Apple's string for it.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// The string itself, which is what programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.Port {
    /// An analog line input.
    public static let lineIn = Self(rawValue: "LineIn")
    /// The microphone of the machine.
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
    /// The speaker that is held to the ear.
    public static let builtInReceiver = Self(rawValue: "Receiver")
    /// The speakers of the machine.
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
    /// A device without hardware.
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
    /// A device that an extension of the system brings; Apple's string for it is not published.
    public static let mediaDeviceExtension = Self(rawValue: "MediaDeviceExtension")
}

extension AVAudioSession {
    /// Where on the machine a data source sits.
    ///
    /// Apple: `AVAudioSession.Location`
    public struct Location: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral {
        /// Apple's string for it.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, so that text can stand in where an optional one is printed.
        public init(stringLiteral value: String) { self.rawValue = value }

        /// The string itself, which is what programs print.
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
    /// Where a data source points.
    ///
    /// Apple: `AVAudioSession.Orientation`
    public struct Orientation: RawRepresentable, Hashable, Sendable, CustomStringConvertible, ExpressibleByStringLiteral
    {
        /// Apple's string for it.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, so that text can stand in where an optional one is printed.
        public init(stringLiteral value: String) { self.rawValue = value }

        /// The string itself, which is what programs print.
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
    /// From where a data source picks up sound.
    ///
    /// Apple: `AVAudioSession.PolarPattern`
    public struct PolarPattern: RawRepresentable, Hashable, Sendable, CustomStringConvertible,
        ExpressibleByStringLiteral
    {
        /// Apple's string for it.
        public let rawValue: String

        /// A value with this string, known or not.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, known or not.
        public init(_ rawValue: String) { self.rawValue = rawValue }

        /// A value with this string, so that text can stand in where an optional one is printed.
        public init(stringLiteral value: String) { self.rawValue = value }

        /// The string itself, which is what programs print.
        public var description: String { rawValue }
    }
}

extension AVAudioSession.PolarPattern {
    /// From everywhere.
    public static let omnidirectional = Self(rawValue: "Omnidirectional")
    /// From the front.
    public static let cardioid = Self(rawValue: "Cardioid")
    /// Mostly from the front.
    public static let subcardioid = Self(rawValue: "Subcardioid")
    /// From left and right, as two channels.
    public static let stereo = Self(rawValue: "Stereo")
}
