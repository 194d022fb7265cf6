// AVFAudioTests
