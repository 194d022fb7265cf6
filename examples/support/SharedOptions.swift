package import ArgumentParser

/// The version that `--version` prints, the same for all programs of the package.
package let programVersion = "0.1.0"

/// What every program understands, whatever it does.
package struct SharedOptions: ParsableArguments {
    @Option(help: "Sound server to use, as in PULSE_SERVER (default: the usual lookup).")
    package var server: String?

    @Flag(help: "Start a private server with null sinks for this run.")
    package var headless = false

    @Flag(help: "Print one JSON object a line on stdout for everything that happens.")
    package var json = false

    /// For ArgumentParser.
    package init() {}

    /// No options at all.
    package static var none: Self {
        var options = Self()
        (options.server, options.headless, options.json) = (nil, false, false)
        return options
    }

    /// Refuses what contradicts itself.
    package func validate() throws {
        if headless, server != nil { throw ValidationError("--server and --headless exclude each other.") }
    }
}
