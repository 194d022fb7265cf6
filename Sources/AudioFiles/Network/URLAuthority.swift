/// The host and port of an http(s) URL.
struct URLAuthority: Equatable {
    /// A name or a number; that of IPv6 without its brackets.
    let host: String
    /// The port as it is written; nil where that is left to the scheme.
    let port: String?

    /// Reads it from an address; nil where there is none.
    init?(of url: String) {
        guard let scheme = url.firstRange(of: "://"),
            // A user and a password may stand in front.
            let place = url[scheme.upperBound...].prefix(while: { !"/?#".contains($0) }).split(separator: "@").last
        else { return nil }
        let isBracketed = place.hasPrefix("[")
        let host = isBracketed ? place.dropFirst().prefix { $0 != "]" } : place.prefix { $0 != ":" }
        let port = place[host.endIndex...].drop { $0 == "]" || $0 == ":" }
        guard !host.isEmpty else { return nil }
        self.host = String(host)
        self.port = port.isEmpty ? nil : String(port)
    }

    /// The host, with its port where one is written, as requests name it.
    var name: String { port.map { bracketedHost + ":" + $0 } ?? bracketedHost }

    /// What a connection is made to, with the port that it has or else this one.
    func place(defaultPort: Int) -> String {
        "\(bracketedHost):\(port ?? "\(defaultPort)")"
    }

    private var bracketedHost: String { host.contains(":") ? "[\(host)]" : host }
}
