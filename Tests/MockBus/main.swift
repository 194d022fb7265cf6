import Glibc

// mock-bus player NAME ORDERS [QUIRK…] [-- COMMAND…]
// mock-bus desktop
// mock-bus login
// mock-bus call NAME METHOD…
//
// Services of D-Bus for tests: a media player (MockPlayer), a desktop (MockDesktop) or a login manager (MockLogin).
// Each prints a line when it is ready, and after each order that it has carried out. `call` is a remote control
// (MockCaller).
let words = Array(CommandLine.arguments.dropFirst(2))
switch CommandLine.arguments.dropFirst().first {
case "player": MockPlayer.main(words)
case "desktop": MockDesktop.main()
case "login": MockLogin.main()
case "call": MockCaller.main(words)
default:
    print("usage: mock-bus player|desktop|login|call")
    exit(64)
}
