import AVFAudio
import Foundation

/// What an app does with its main thread, and where it wants to be told of things.
enum MainThread {
    private static let gate = DispatchSemaphore(value: 0)

    /// Keeps the main queue from running until ``release()``; returns when it stands still.
    static func hold() {
        let isHeld = DispatchSemaphore(value: 0)
        OperationQueue.main.addOperation {
            isHeld.signal()
            gate.wait()
        }
        isHeld.wait()
    }

    /// The number of operations that the main queue has not finished.
    static var operations: Int { OperationQueue.main.operations.count }

    static func release() { gate.signal() }

    /// `main`, `queue`: an operation queue, or `function`: a thread of the app's own takes what it is handed.
    static func deliver(on place: String?) throws {
        switch place {
        case "main": AVAudioSession.deliver(on: .main)
        case "queue":
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            AVAudioSession.deliver(on: queue)
        case "function":
            let loop = DispatchQueue(label: "loop")
            AVAudioSession.deliver(on: { work in loop.async(execute: work) })
        default: throw PeerError("deliver main|queue|function")
        }
    }
}
