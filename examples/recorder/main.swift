// Records to a file as an app with a session does; nothing that was captured is lost, however it ends.
//
// Below Recording/ the command line is in RecorderOptions.swift, the file's settings in RecordingSettings.swift, what
// happens in Recording.swift. `audiosession record` is the same code.
import CommandLineSupport
import RecorderProgram

keepStandardDescriptors()
RecorderCommand.parseOrLeave().options.record(as: "recorder")
