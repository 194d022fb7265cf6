import Glibc

/// Opens `/dev/null` for each of stdin, stdout and stderr that the parent has closed; must be called first.
///
/// Otherwise the next file or socket would get such a number, and with it the program's output: a recording, or the
/// connection to the server. Reads and writes still fail, and child processes find the descriptors closed.
package func keepStandardDescriptors() {
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) == -1 {
        // The lowest free number is this one.
        _ = open("/dev/null", mode | O_CLOEXEC)
    }
}
