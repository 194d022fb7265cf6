package import ArgumentParser

/// The version of the package, which `--version` of every program prints.
///
/// CHANGELOG.md and docs/audiosession.1 repeat it; a test compares them.
package let programVersion = "0.1.0"

/// The options of every program.
package struct SharedOptions: ParsableArguments {
    @Option(help: "Sound server to use, as in PULSE_SERVER (default: the usual lookup).")
    package var server: String?

    @Flag(help: "Start a private server with null sinks for this run.")
    package var headless = false

    @Flag(help: "Print one JSON object a line on stdout for everything that happens.")
    package var json = false

    /// For ArgumentParser.
    package init() {}

    /// The parsed values.
    package var values: ProgramOptions { ProgramOptions(server: server, isHeadless: headless, isJSON: json) }

    /// Throws for contradictory options.
    package func validate() throws {
        if headless, server != nil { throw ValidationError("--server and --headless exclude each other.") }
    }
}

/// The values of ``SharedOptions``, without the parser; by default no particular choice.
package struct ProgramOptions: Sendable {
    /// The sound server; nil for the usual lookup.
    package let server: String?
    /// Whether the program starts a private server.
    package let isHeadless: Bool
    /// Whether the program prints events.
    package let isJSON: Bool

    /// Creates options.
    package init(server: String? = nil, isHeadless: Bool = false, isJSON: Bool = false) {
        self.server = server
        self.isHeadless = isHeadless
        self.isJSON = isJSON
    }
}
