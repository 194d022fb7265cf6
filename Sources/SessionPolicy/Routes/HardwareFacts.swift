/// What is so about the devices of a route, whatever the app wished for.
package struct HardwareFacts: Hashable, Sendable {
    /// One direction.
    package struct Device: Hashable, Sendable {
        /// Frames per second, in Hz.
        package let rate: Int
        /// How many channels the device has.
        package let channels: Int
        /// The time from the device to the ear, or from the mouth to the device, without the I/O buffer, in seconds.
        package let latency: Double
        /// How much the device takes or gives at a time, in seconds.
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

    /// Where sound goes; nil if there is nothing.
    package var output: Device?
    /// Where sound comes from; nil if there is nothing.
    package var input: Device?

    package init(output: Device? = nil, input: Device? = nil) {
        self.output = output
        self.input = input
    }

    /// What a session of these settings has of them: what a category does not use does not count.
    package func used(by settings: SessionSettings) -> HardwareFacts {
        HardwareFacts(
            output: settings.allowsOutput ? output : nil, input: settings.allowsInput ? input : nil)
    }

    /// The rate of the route, in Hz: the output's; that of the input where nothing is played; 0 without any.
    package var rate: Int { (output ?? input)?.rate ?? 0 }
    /// The I/O buffer of the route, in seconds.
    package var buffer: Double { (output ?? input)?.buffer ?? 0 }
}
