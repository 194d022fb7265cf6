import Foundation
import HeadlessServer

// headless-owner [KIND [MODULE]...]: starts a server, says where it is, and waits to be killed by the test.
let kind = CommandLine.arguments.dropFirst().first.flatMap(HeadlessServer.Kind.init) ?? .pulseAudio
let server = try HeadlessServer.start(kind, modules: Array(CommandLine.arguments.dropFirst(2)))
print(([server.directory.path] + server.processIDs.map(String.init)).joined(separator: " "))
fflush(nil)
while true { pause() }
