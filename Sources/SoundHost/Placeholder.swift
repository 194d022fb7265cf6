// SoundHost
