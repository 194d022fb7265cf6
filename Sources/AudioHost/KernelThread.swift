internal import Glibc

/// The threads of this process as the kernel counts them.
package enum KernelThread {
    /// The kernel's ID of the calling thread; 0 without /proc.
    ///
    /// It is read from /proc, since Swift does not see `gettid`.
    package static var current: Int32 {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { target in
            guard let start = target.baseAddress else { return 0 }
            let count = readlink("/proc/thread-self", start, target.count)
            var number: Int32 = 0
            // The target is `<process>/task/<thread>`.
            for byte in target.prefix(max(0, count)) {
                let digit = Int32(byte) - 48
                number = (0..<10).contains(digit) ? number &* 10 &+ digit : 0
            }
            return number
        }
    }
}
