// AVFAudio
