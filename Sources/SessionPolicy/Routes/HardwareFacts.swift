/// The actual properties of a route's devices, independent of the app's preferences.
package struct HardwareFacts: Hashable, Sendable {
    /// The device of one direction.
    package struct Device: Hashable, Sendable {
        /// Frames per second, in Hz.
        package let rate: Int
        /// The number of channels of the device.
        package let channels: Int
        /// The time from the device to the ear, or from the mouth to the device, without the I/O buffer, in seconds.
        package let latency: Double
        /// The length of the device's buffer, in seconds.
        package let buffer: Double
        /// The user's volume, as mixers show it: 0 to 1, or a little more; 0 while it is muted.
        package let volume: Double

        package init(rate: Int, channels: Int, latency: Double, buffer: Double, volume: Double) {
            self.rate = rate
            self.channels = channels
            self.latency = latency
            self.buffer = buffer
            self.volume = volume
        }
    }

    /// The output device; nil without one.
    package var output: Device?
    /// The input device; nil without one.
    package var input: Device?

    package init(output: Device? = nil, input: Device? = nil) {
        self.output = output
        self.input = input
    }

    /// The devices that a session with these settings uses, by its category.
    package func used(by settings: SessionSettings) -> HardwareFacts {
        HardwareFacts(
            output: settings.allowsOutput ? output : nil, input: settings.allowsInput ? input : nil)
    }

    /// The rate of the route in Hz: the output's, or the input's without an output; 0 without either.
    package var rate: Int { (output ?? input)?.rate ?? 0 }
    /// The I/O buffer of the route, in seconds.
    package var buffer: Double { (output ?? input)?.buffer ?? 0 }
}
