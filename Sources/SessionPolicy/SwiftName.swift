/// The name of a case whose raw value is Apple's, as it is spelled in Swift.
///
/// The language knows it as well, by reflection: that takes half a millisecond of a program's start.
func swiftName(of rawValue: String, after prefix: String) -> String {
    let name = rawValue.dropFirst(prefix.count)
    return name.prefix(1).lowercased() + name.dropFirst()
}
