// AudioRealtime
