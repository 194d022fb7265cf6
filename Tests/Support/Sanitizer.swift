import Glibc

/// The sanitizer that the tests were built with.
package enum Sanitizer {
    /// Whether there is one: memory is then mostly its own, and measures of it say nothing about the code under test.
    package static let isPresent = dlsym(nil, "__tsan_init") != nil || dlsym(nil, "__asan_init") != nil
}
