// PulseClient
