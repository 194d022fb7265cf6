import Glibc

/// Keeps the numbers of stdin, stdout and stderr taken where whoever started the program has closed them; to be called
/// before anything else.
///
/// The next file or socket would get such a number, and with it what the program prints: a recording, or the server's
/// connection. As before, nothing can be read or written there, and programs that are started find them closed.
package func keepStandardDescriptors() {
    for (number, mode) in [(STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDONLY)]
    where fcntl(number, F_GETFD) == -1 {
        // The lowest free number is this one.
        _ = open("/dev/null", mode | O_CLOEXEC)
    }
}
