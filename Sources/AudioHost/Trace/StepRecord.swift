internal import Glibc

/// A step with its times and its thread, and its line.
struct StepRecord: Sendable {
    let step: StepTrace.Step
    /// The beginning and the end, in seconds of CLOCK_MONOTONIC.
    let begin: Double
    let end: Double
    let detail: StepTrace.Detail
    /// The thread's ID in the kernel; that of the process is its main thread's.
    let thread = Self.threadID

    init(step: StepTrace.Step, begin: Double, end: Double, detail: StepTrace.Detail) {
        (self.step, self.begin, self.end, self.detail) = (step, begin, end, detail)
    }

    /// The calling thread's ID; 0 without /proc.
    ///
    /// It is looked up once in each thread.
    private static var threadID: Int {
        guard let key else { return lookedUpThreadID }
        let known = Int(bitPattern: pthread_getspecific(key))
        if known > 0 { return known }
        let found = lookedUpThreadID
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: found))
        return found
    }

    /// The place in each thread for its ID.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// The calling thread's ID, from /proc: Swift does not see `gettid`.
    private static var lookedUpThreadID: Int {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { target in
            guard let start = target.baseAddress else { return 0 }
            let count = readlink("/proc/thread-self", start, target.count)
            var number = 0
            // The target is `<process>/task/<thread>`.
            for byte in target.prefix(max(0, count)) {
                let digit = Int(byte) - 48
                number = (0..<10).contains(digit) ? number * 10 + digit : 0
            }
            return number
        }
    }

    /// Appends the line of JSON.
    func write(process: Int32, to bytes: inout [UInt8]) {
        bytes += "{\"t\":\(begin),\"event\":\"step\",\"step\":\"\(step.rawValue)\"".utf8
        bytes += ",\"seconds\":\(end - begin),\"pid\":\(process),\"thread\":\(thread)".utf8
        for (key, text) in [("word", detail.word), ("claim", detail.claim), ("by", detail.by)] where !text.isEmpty {
            bytes += ",\"\(key)\":\"".utf8
            Self.escape(text, to: &bytes)
            bytes.append(UInt8(ascii: "\""))
        }
        if detail.decided > 0 { bytes += ",\"decided\":\(detail.decided)".utf8 }
        bytes += "}\n".utf8
    }

    /// Appends the line that tells of steps without room.
    static func write(lost: Int, process: Int32, to bytes: inout [UInt8]) {
        bytes += "{\"t\":\(MonotonicClock.seconds),\"event\":\"stepsLost\",\"count\":\(lost),\"pid\":\(process)}\n".utf8
    }

    /// Appends a text as JSON has it; control characters, which no claim has, become spaces.
    private static func escape(_ text: String, to bytes: inout [UInt8]) {
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
        }
    }
}
