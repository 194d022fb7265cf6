import Foundation

/// The private memory of this process in use, in bytes.
package func anonymousMemory() throws -> Int {
    // What the allocator keeps of freed memory is no leak; how much that is differs from run to run.
    typealias Trim = @convention(c) (Int) -> Int32
    dlsym(nil, "malloc_trim").map { _ = unsafeBitCast($0, to: Trim.self)(0) }
    let text = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
    let line = text.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
    return (Int(line?.split(separator: " ").dropLast().last ?? "") ?? 0) * 1024
}
