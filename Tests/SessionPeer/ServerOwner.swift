import Foundation
import HeadlessServer

/// A process that starts a private server and waits to be killed.
///
/// | `session-peer server …` | |
/// |---|---|
/// | `[KIND [MODULE]…]` | starts a server and prints its folder and process IDs |
/// | `poor` | tries to start one with no file descriptor left, and prints the error |
/// | `hasty` | gets SIGINT as soon as the server's folder exists, whose path it prints |
enum ServerOwner {
    static func main(_ arguments: [String]) throws -> Never {
        if arguments.last == "poor" {
            var none = rlimit(rlim_cur: 0, rlim_max: 0)
            setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
            do { _ = try HeadlessServer.start(.pulseAudio) } catch { print(error) }
            exit(0)
        }
        if arguments.last == "hasty" {
            let end: @Sendable (String) -> Void = { folder in
                print(folder)
                fflush(nil)
                kill(getpid(), SIGINT)
            }
            _ = try HeadlessServer.$folderMade.withValue(end) { try HeadlessServer.start(.pulseAudio) }
        }
        let kind = arguments.first.flatMap(HeadlessServer.Kind.init) ?? .pulseAudio
        let server = try HeadlessServer.start(kind, modules: Array(arguments.dropFirst()))
        print(([server.directory.path] + server.processIDs.map(String.init)).joined(separator: " "))
        fflush(nil)
        while true { pause() }
    }
}
