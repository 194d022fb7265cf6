import Foundation

// `corpus-5 NAME FOLDER` runs the app NAME with the sounds in FOLDER.
guard CommandLine.arguments.count == 3, let story = Stories.all.first(where: { "\($0)" == CommandLine.arguments[1] })
else {
    print(Stories.all.map { "\($0)" }.joined(separator: "\n"))
    exit(64)
}
Task { @MainActor in
    let stage = Stage(sounds: URL(fileURLWithPath: CommandLine.arguments[2]))
    do {
        try await story.run(stage)
        stage.say("done")
        exit(0)
    } catch {
        stage.say("failed: \(error)")
        exit(1)
    }
}
RunLoop.main.run()
