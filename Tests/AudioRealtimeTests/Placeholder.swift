// AudioRealtimeTests
