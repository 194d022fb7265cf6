// Plays files as an app with a session does: interrupted, resumed and told about routes like any other.
//
// The command line is in Playback/PlayerOptions.swift; what happens is in Playback.swift beside it. `audiosession play`
// is the same code.
import CommandLineSupport
import PlayerProgram

keepStandardDescriptors()
PlayerCommand.parseOrLeave().options.play(as: "player")
