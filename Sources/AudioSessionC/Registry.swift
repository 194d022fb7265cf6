internal import Locks

/// The objects that C programs hold references to, by numbers that take the place of pointers.
///
/// A number is never used again, so that a reference to an object that is gone is recognised, as is one to an object of
/// another kind.
final class Registry<Object: AnyObject & Sendable>: Sendable {
    private struct Entry {
        let object: Object
        var references = 1
    }

    private struct State {
        var entries: [UInt: Entry] = [:]
        var last: UInt = 0
    }

    private let kind: UInt
    private let state = Guarded(State())

    /// An empty registry.
    ///
    /// - Parameter kind: The lowest four bits of its numbers, other than those of all other registries; not 0.
    init(kind: UInt) { self.kind = kind }

    /// All objects, in the order in which they came.
    var objects: [Object] {
        state.withLock { state in state.entries.sorted { $0.key < $1.key }.map(\.value.object) }
    }

    /// Adds an object, with one reference.
    func add(_ object: Object) -> OpaquePointer? {
        state.withLock { state in
            state.last += 1
            let number = state.last << 4 | kind
            state.entries[number] = Entry(object: object)
            return OpaquePointer(bitPattern: number)
        }
    }

    /// The object; nil if it is gone, or never was there.
    func object(_ pointer: OpaquePointer?) -> Object? {
        state.withLock { $0.entries[UInt(bitPattern: pointer)]?.object }
    }

    /// Adds a reference; returns whether the object is there.
    func retain(_ pointer: OpaquePointer?) -> Bool {
        state.withLock { state in
            guard state.entries[UInt(bitPattern: pointer)] != nil else { return false }
            state.entries[UInt(bitPattern: pointer)]?.references += 1
            return true
        }
    }

    /// Removes a reference, and with the last one the object, which is returned then: its end must not come here, with
    /// the lock held.
    @discardableResult
    func release(_ pointer: OpaquePointer?) -> Object? {
        state.withLock { state in
            let number = UInt(bitPattern: pointer)
            guard let entry = state.entries[number] else { return nil }
            guard entry.references == 1 else {
                state.entries[number]?.references -= 1
                return nil
            }
            state.entries[number] = nil
            return entry.object
        }
    }
}
