import Foundation
import HeadlessServer

// headless-owner [KIND [MODULE]...]: starts a server, says where it is, and waits to be killed by the test.
// headless-owner poor: tries to start one without a descriptor left, and says what became of it.
// headless-owner hasty: is told to end as soon as there is a folder, which it names.

if CommandLine.arguments.last == "poor" {
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &none)
    do { _ = try HeadlessServer.start(.pulseAudio) } catch { print(error) }
    exit(0)
}
if CommandLine.arguments.last == "hasty" {
    let end: @Sendable (String) -> Void = { folder in
        print(folder)
        fflush(nil)
        kill(getpid(), SIGINT)
    }
    _ = try HeadlessServer.$folderMade.withValue(end) { try HeadlessServer.start(.pulseAudio) }
}
let kind = CommandLine.arguments.dropFirst().first.flatMap(HeadlessServer.Kind.init) ?? .pulseAudio
let server = try HeadlessServer.start(kind, modules: Array(CommandLine.arguments.dropFirst(2)))
print(([server.directory.path] + server.processIDs.map(String.init)).joined(separator: " "))
fflush(nil)
while true { pause() }
