import CommandLineSupport

extension Paper {
    /// The text of a picture that is drawn again and again; on a terminal it overwrites the last one without flicker.
    func screen(of picture: [String]) -> String {
        guard isTerminal else { return picture.map { $0 + "\n" }.joined() + "\n" }
        let lines = size.map { picture.prefix($0.rows - 1) } ?? picture[...]
        return "\u{1B}[H" + lines.map { $0 + "\u{1B}[K\n" }.joined() + "\u{1B}[J"
    }
}

extension ServerAccess {
    /// The server of a command that draws until a signal asks for the end, or until the reader of its stdout is gone.
    static func forDrawing(_ options: ServerOptions) -> ServerAccess {
        let isTerminal = Paper().isTerminal
        Signals.block()
        let access = ServerAccess(options)
        Signals.receive { _ in
            if isTerminal { show("\n") }
            access.leave()
        }
        endWithReader()
        return access
    }
}
