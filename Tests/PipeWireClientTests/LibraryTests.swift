import Foundation
import PipeWireClient
import TestSupport
import Testing

@Suite(.limited) struct LibraryTests {
    @Test func missingLibraryIsSaid() throws {
        let error = #expect(throws: PipeWireError.self) { try PipeWireLibrary(soname: "libpipewire-nowhere.so.9") }
        #expect(error?.reason == .libraryMissing)
        #expect(error?.description.contains("libpipewire-nowhere.so.9") == true)
    }

    @Test func otherLibraryIsRefused() throws {
        let error = #expect(throws: PipeWireError.self) { try PipeWireLibrary(soname: "libm.so.6") }
        #expect(error?.reason == .libraryMissing)
        #expect(error?.description.contains("pw_init") == true)
    }

    @Test func libraryLoads() throws {
        #expect(try PipeWireLibrary().version.split(separator: ".").count == 3)
    }

    /// Whoever uses the package must not pay for libpipewire before it is needed: this is what `ldd` does.
    @Test func nothingLinksTheLibrary() async throws {
        let program = try ChildProcess("session-peer", environment: ["LD_TRACE_LOADED_OBJECTS": "1"])
        try await program.wait()
        #expect(program.outputLines.contains { $0.contains("libc.so") })
        #expect(program.outputLines.filter { $0.contains("pipewire") } == [])
    }

    /// The declarations that stand in for PipeWire's headers are theirs.
    @Test func declarationsAreThoseOfTheHeaders() async throws {
        let shim = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../CShims/CPipeWire/abi_check.c").standardizedFileURL.path
        let check = """
            flags=$(pkg-config --cflags libpipewire-0.3) || exit 1
            compiler=${CC:-$(command -v cc || command -v clang)} || exit 1
            "$compiler" -fsyntax-only -Wall -Wextra -Werror $flags "$1"
            """
        let compiler = try ChildProcess(URL(fileURLWithPath: "/bin/sh"), ["-c", check, "sh", shim])
        #expect(try await compiler.wait().status == 0, "\(compiler.errorText)")
    }
}
