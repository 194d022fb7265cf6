// PulseClientTests
