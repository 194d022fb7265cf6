import AudioHost
import TestSupport
import Testing

@testable import SoundHost

/// What is read from the address that libpulse has of its server, and from the kernel's names of our namespaces.
@Suite(.limited) struct ServerAddressTests {
    @Test("The runtime directory of a socket, however libpulse has found it; other addresses have none")
    func runtimeDirectory() {
        let directory = "/run/user/1000"
        for address in ["", "unix:", "{0123abcd}", "{0123abcd}unix:"].map({ $0 + directory + "/pulse/native" }) {
            #expect(SoftVolumes.runtimeDirectory(ofServer: address) == directory, "\(address)")
        }
        let others = [
            "", "unix:", "{0123abcd}", "{0123abcd", "tcp:10.0.0.1", "tcp6:[::1]:4713", "music.example.org",
            "unix:pulse/native", "pulse/native", "/run/pulse", "unix:/tmp/pulse-socket",
            "tcp:/run/user/1000/pulse/native",
        ]
        for address in others { #expect(SoftVolumes.runtimeDirectory(ofServer: address) == nil, "\(address)") }
        #expect(SoftVolumes.remote(ofServer: nil) == nil)
        #expect(SoftVolumes.remote(ofServer: "/nonexistent/pulse/native") == nil)
    }

    @Test("A process number says nothing to others where it is counted anew under the machine's own name")
    func processNumbers() {
        func isNumberedApart(_ processes: String?, _ names: String?, isFlatpak: Bool = false) -> Bool {
            AppIdentity.isNumberedApart(processes: processes, names: names, isFlatpak: isFlatpak)
        }
        let (machine, name) = ("pid:[4026531836]", "uts:[4026531838]")
        #expect(!isNumberedApart(machine, name))
        #expect(!isNumberedApart(machine, "uts:[4026532201]"))
        #expect(!isNumberedApart(machine, name, isFlatpak: true))
        #expect(isNumberedApart("pid:[4026532202]", name))
        #expect(isNumberedApart("pid:[4026532202]", name, isFlatpak: true))
        // A container, and a Flatpak in one.
        #expect(!isNumberedApart("pid:[4026532202]", "uts:[4026532201]"))
        #expect(isNumberedApart("pid:[4026532202]", "uts:[4026532201]", isFlatpak: true))
        // Without /proc nothing is known.
        #expect(!isNumberedApart(nil, nil, isFlatpak: true))
    }
}
