import Glibc

// mock-desktop
//
// What a desktop tells of its locked screen, its silent switch and its permissions, on the bus that
// DBUS_SESSION_BUS_ADDRESS names, as a bus of tests may be both the session's and the machine's. It begins with none of
// it; each line that it reads is one order (see MockDesktop.obey), and it prints `done …` after each, and a line for
// each call that changes or asks for something. It ends with its input.
guard let desktop = MockDesktop() else {
    print("no bus")
    exit(1)
}
desktop.run()
