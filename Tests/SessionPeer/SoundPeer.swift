import AudioToolbox

/// An app with system sounds, written as for Apple's systems: it imports AudioToolbox alone.
///
/// `session-peer sounds` carries out a command a line of standard input, and prints a JSON object a line. It ends with
/// its input.
enum SoundPeer {
    static func main() -> Never {
        Thread.detachNewThread {
            while let line = readLine() {
                let words = line.split(separator: " ").map(String.init)
                say("answer", ", \"command\": \"\(words[0])\", \"status\": \(perform(words))")
            }
            exit(0)
        }
        say("ready")
        while true { RunLoop.main.run() }
    }

    private static func say(_ event: String, _ values: String = "") {
        FileHandle.standardOutput.write(Data("{\"event\": \"\(event)\"\(values)}\n".utf8))
    }

    private static func told(_ id: SystemSoundID, _ data: UnsafeMutableRawPointer?) {
        let place = Thread.isMainThread ? "main" : RunLoop.current === OtherThread.loop ? "other" : "neither"
        say("told", ", \"id\": \(id), \"thread\": \"\(place)\", \"data\": \(Int(bitPattern: data))")
    }

    private static func set(_ property: AudioServicesPropertyID, _ id: SystemSoundID, _ value: UInt32) -> OSStatus {
        var (id, value) = (id, value)
        let size = UInt32(MemoryLayout<UInt32>.size)
        return AudioServicesSetProperty(property, size, &id, size, &value)
    }

    private static func perform(_ words: [String]) -> OSStatus {
        let number = words.count > 1 ? SystemSoundID(words[1]) ?? 0 : 0
        switch words[0] {
        case "create":
            var id: SystemSoundID = 0
            let status = AudioServicesCreateSystemSoundID(URL(fileURLWithPath: words[1]) as CFURL, &id)
            say("created", ", \"id\": \(id)")
            return status
        case "play": AudioServicesPlaySystemSound(number)
        case "alert": AudioServicesPlayAlertSound(number)
        case "complete": AudioServicesPlaySystemSoundWithCompletion(number) { say("completed", ", \"id\": \(number)") }
        case "completeAlert":
            AudioServicesPlayAlertSoundWithCompletion(number) { say("completed", ", \"id\": \(number)") }
        case "listen":
            return AudioServicesAddSystemSoundCompletion(
                number, words[2] == "main" ? nil : OtherThread.loop,
                words[2] == "main" ? nil : CFRunLoopMode.defaultMode.rawValue,
                { SoundPeer.told($0, $1) }, UnsafeMutableRawPointer(bitPattern: 4711))
        case "unlisten": AudioServicesRemoveSystemSoundCompletion(number)
        case "outlive": return set(kAudioServicesPropertyCompletePlaybackIfAppDies, number, 1)
        case "dispose": return AudioServicesDisposeSystemSoundID(number)
        case "exit":
            say("leaving")
            exit(0)
        default: return -50
        }
        return kAudioServicesNoError
    }
}

/// A run loop on a thread of its own.
private enum OtherThread {
    // SAFETY: written once, before the semaphore is signalled.
    nonisolated(unsafe) private static var made: CFRunLoop?

    // SAFETY: never changes; it is only handed on.
    nonisolated(unsafe) static let loop: CFRunLoop? = {
        let isMade = DispatchSemaphore(value: 0)
        let thread = Thread {
            made = CFRunLoopGetCurrent()
            // A run loop without anything to wait for ends.
            RunLoop.current.add(Timer(timeInterval: 1e6, repeats: true) { _ in }, forMode: .default)
            isMade.signal()
            while true { _ = RunLoop.current.run(mode: .default, before: .distantFuture) }
        }
        thread.start()
        isMade.wait()
        return made
    }()
}
