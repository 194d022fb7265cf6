/// The ancestors of some processes.
package struct ProcessTree: Hashable, Sendable {
    private var parents: [Int32: Int32] = [:]

    /// The tree of some processes and their ancestors.
    ///
    /// - Parameters:
    ///   - processes: The processes whose ancestors are looked up.
    ///   - parent: The parent of a process; `nil` if there is no such process (any more).
    package init(of processes: some Sequence<Int32>, parent: (Int32) -> Int32?) {
        for process in processes {
            var process = process
            // Process 1 is an ancestor of all processes, which relates none of them.
            while process > 1, parents[process] == nil, let next = parent(process) {
                parents[process] = next
                process = next
            }
        }
    }

    /// Whether a process is another one or a descendant of it.
    package func isProcess(_ process: Int32, within ancestor: Int32) -> Bool {
        guard ancestor > 1 else { return false }
        var process = process
        // Process IDs are reused, so separate readings might form a cycle.
        for _ in 0...parents.count {
            if process == ancestor { return true }
            guard let next = parents[process] else { return false }
            process = next
        }
        return false
    }

    /// Whether one of two processes is the other or a descendant of it.
    package func areRelated(_ first: Int32, _ second: Int32) -> Bool {
        isProcess(first, within: second) || isProcess(second, within: first)
    }
}
