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

    /// The calling thread's ID, which each thread looks up once; 0 without /proc.
    private static var threadID: Int {
        guard let key else { return Int(KernelThread.current) }
        let known = Int(bitPattern: pthread_getspecific(key))
        if known > 0 { return known }
        let found = Int(KernelThread.current)
        pthread_setspecific(key, UnsafeRawPointer(bitPattern: found))
        return found
    }

    /// The key of the thread-specific value that holds the thread's ID; nil if the process has no key left.
    private static let key: pthread_key_t? = {
        var key = pthread_key_t()
        return pthread_key_create(&key, nil) == 0 ? key : nil
    }()

    /// Appends the line of JSON.
    func write(process: Int32, to bytes: inout [UInt8]) {
        bytes += "{\"t\":".utf8
        Self.write(seconds: begin, to: &bytes)
        bytes += ",\"event\":\"step\",\"step\":\"".utf8
        bytes += step.rawValue.utf8
        bytes += "\",\"seconds\":".utf8
        Self.write(seconds: end - begin, to: &bytes)
        bytes += ",\"pid\":".utf8
        bytes += String(process).utf8
        bytes += ",\"thread\":".utf8
        bytes += String(thread).utf8
        Self.write("word", detail.word, to: &bytes)
        Self.write("claim", detail.claim, to: &bytes)
        Self.write("by", detail.by, to: &bytes)
        if detail.decided > 0 {
            bytes += ",\"decided\":".utf8
            Self.write(seconds: detail.decided, to: &bytes)
        }
        bytes += "}\n".utf8
    }

    /// Appends a time with nine decimals, as the clock has it: a Double's own text takes several times as long.
    private static func write(seconds: Double, to bytes: inout [UInt8]) {
        let nanoseconds = UInt64(max(0, seconds * 1e9).rounded())
        bytes += String(nanoseconds / 1_000_000_000).utf8
        bytes.append(UInt8(ascii: "."))
        let fraction = String(nanoseconds % 1_000_000_000).utf8
        for _ in fraction.count..<9 { bytes.append(UInt8(ascii: "0")) }
        bytes += fraction
    }

    /// Appends a member of the object with a text as its value; an empty text is left out.
    private static func write(_ key: StaticString, _ text: String, to bytes: inout [UInt8]) {
        guard !text.isEmpty else { return }
        bytes += ",\"".utf8
        key.withUTF8Buffer { bytes += $0 }
        bytes += "\":\"".utf8
        escape(text, to: &bytes)
        bytes.append(UInt8(ascii: "\""))
    }

    /// Appends the line that tells of steps without room.
    static func write(lost: Int, process: Int32, to bytes: inout [UInt8]) {
        bytes += "{\"t\":\(MonotonicClock.seconds),\"event\":\"stepsLost\",\"count\":\(lost),\"pid\":\(process)}\n".utf8
    }

    /// Appends a text as JSON has it; control characters, which no claim has, become spaces.
    private static func escape(_ text: String, to bytes: inout [UInt8]) {
        guard text.utf8.contains(where: { $0 < 0x20 || $0 == UInt8(ascii: "\"") || $0 == UInt8(ascii: "\\") }) else {
            bytes += text.utf8
            return
        }
        for byte in text.utf8 {
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { bytes.append(UInt8(ascii: "\\")) }
            bytes.append(byte < 0x20 ? UInt8(ascii: " ") : byte)
        }
    }
}
