internal import Foundation

// Foundation on Linux has no key-value observing. These are its names, for the few properties whose objects say when they
// change; docs/decisions/0055 has the list.

/// What a handler of changes is told.
///
/// Apple: `NSKeyValueObservingOptions`.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// The options with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
    /// The old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
    /// One call at once, before anything has changed.
    public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
}

/// A change of a property.
///
/// Apple: `NSKeyValueObservedChange`.
public struct NSKeyValueObservedChange<Value> {
    /// The value after the change, if it was asked for.
    public let newValue: Value?
    /// The value before the change, if it was asked for.
    public let oldValue: Value?
}

// SAFETY: `check` is guarded by `lock`, and runs on the main thread only.
/// Keeps a handler of changes; ends with ``invalidate()``, or when nobody keeps it.
///
/// Apple: `NSKeyValueObservation`.
public final class NSKeyValueObservation: NSObject, @unchecked Sendable {
    private let lock = NSLock()
    private var check: (() -> Void)?

    init(_ check: @escaping () -> Void) { self.check = check }

    /// Calls the handler no more; on the main thread from now on, elsewhere but for a call that has begun.
    ///
    /// Apple: `NSKeyValueObservation.invalidate()`.
    public func invalidate() { lock.withLock { check = nil } }

    func look() { lock.withLock { check }?() }
}

/// Those who want to be told of an object's properties.
// SAFETY: `list` is guarded by `lock`.
package final class PropertyObservers: @unchecked Sendable {
    private struct Entry { weak var observation: NSKeyValueObservation? }

    private let lock = NSLock()
    private var list: [Entry] = []

    /// Nobody yet.
    package init() {}

    /// Compares with what was told last whenever ``changed()`` is called, and tells of each difference on the main thread.
    package func observe<Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ options: NSKeyValueObservingOptions,
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        var last = object[keyPath: keyPath]
        let observation = NSKeyValueObservation { [weak object] in
            guard let object else { return }
            let now = object[keyPath: keyPath]
            guard !Self.areEqual(last, now) else { return }
            let change = NSKeyValueObservedChange(
                newValue: options.contains(.new) ? now : nil, oldValue: options.contains(.old) ? last : nil)
            last = now
            handler(object, change)
        }
        lock.withLock { list.append(Entry(observation: observation)) }
        if options.contains(.initial) {
            handler(object, NSKeyValueObservedChange(newValue: options.contains(.new) ? last : nil, oldValue: nil))
        }
        return observation
    }

    /// Something may have changed; with no lock held that a property needs.
    ///
    /// Whoever changes something on the main thread has been told when this returns.
    package func changed() {
        let observations = lock.withLock {
            list.removeAll { $0.observation == nil }
            return list.compactMap(\.observation)
        }
        guard !observations.isEmpty else { return }
        if Thread.isMainThread { return observations.forEach { $0.look() } }
        OperationQueue.main.addOperation { observations.forEach { $0.look() } }
    }

    private static func areEqual(_ first: Any, _ second: Any) -> Bool {
        func compare<Value: Equatable>(_ first: Value) -> Bool { first == second as? Value }
        if let first = first as? any Equatable { return compare(first) }
        return String(describing: first) == String(describing: second)
    }
}
