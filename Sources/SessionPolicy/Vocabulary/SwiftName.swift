/// The name of a case whose raw value is Apple's, as it is spelled in Swift.
///
/// Reflection would give the same name, but takes half a millisecond of a program's start.
func swiftName(of rawValue: String, after prefix: String) -> String {
    let name = rawValue.dropFirst(prefix.count)
    // A part that is added as such is added character by character, by generic code that has to be made first.
    return name.prefix(1).lowercased() + String(name.dropFirst())
}
