import Glibc
import PipeWireClient

/// A process that lowers the soft volume of one stream to a tenth and waits to be killed, which leaves it lowered.
enum VolumeHolder {
    /// Runs `session-peer soft-volume STREAM`.
    static func main(_ arguments: [String]) -> Never {
        guard let text = arguments.first, let stream = UInt32(text) else { exit(64) }
        let ducker = SoftVolumeDucker(failure: { error in
            print(error)
            exit(69)
        })
        ducker.apply([stream: 0.1])
        while true { pause() }
    }
}
