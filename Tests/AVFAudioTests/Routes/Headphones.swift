import HeadlessServer
import TestSupport

/// Headphones that can be pulled: a sink of a module, which becomes the default one; returns the module.
func plugHeadphones(_ pactl: Pactl) async throws -> Int {
    let module = try await pactl.loadModule(
        "module-null-sink",
        [
            "sink_name=phones", "rate=44100", "norewinds=1",
            "sink_properties=\"device.bus=usb device.form_factor=headphone\"",
        ])
    try await waitUntil("the sink") { try await pactl.sink("phones") != nil }
    try await pactl.setDefault(sink: "phones")
    return module
}
