import Glibc

/// The sanitizer that the tests were built with.
package enum Sanitizer {
    /// Whether there is one: memory is then mostly its own, and measures of it say nothing about the code under test.
    package static let isPresent = isThread || dlsym(nil, "__asan_init") != nil

    /// Whether it is ThreadSanitizer: what has to be computed while it is heard, such as a stretch or a fade, is too
    /// late then.
    package static let isThread = dlsym(nil, "__tsan_init") != nil
}
