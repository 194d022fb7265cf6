import Glibc
import PipeWireClient

// Lowers a stream (the first argument) to a tenth and waits to be killed by the test, which then finds it lowered.
guard let text = CommandLine.arguments.dropFirst().first, let stream = UInt32(text) else { exit(64) }
let ducker = SoftVolumeDucker(failure: { error in
    print(error)
    exit(69)
})
ducker.apply([stream: 0.1])
while true { pause() }
