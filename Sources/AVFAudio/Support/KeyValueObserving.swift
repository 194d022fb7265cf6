internal import Foundation
internal import Locks

// Foundation on Linux has no key-value observing. These are its names, for the few properties whose objects report
// changes; docs/decisions/0055 and 0056 list them.

/// Options of an observation: the values that the handler receives.
///
/// Apple: `NSKeyValueObservingOptions`.
public struct NSKeyValueObservingOptions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt

    /// A set of these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// The new value.
    public static let new = NSKeyValueObservingOptions(rawValue: 1 << 0)
    /// The old value.
    public static let old = NSKeyValueObservingOptions(rawValue: 1 << 1)
    /// One call at once, before any change.
    public static let initial = NSKeyValueObservingOptions(rawValue: 1 << 2)
}

/// A change of a property.
///
/// Apple: `NSKeyValueObservedChange`.
public struct NSKeyValueObservedChange<Value> {
    /// The value after the change, if it was requested.
    public let newValue: Value?
    /// The value before the change, if it was requested.
    public let oldValue: Value?
}

/// An observation of a property; it ends with ``invalidate()`` or with its last reference.
///
/// Apple: `NSKeyValueObservation`.
public final class NSKeyValueObservation: NSObject {
    private let lock = NSLock()
    /// Compares the property, and returns the call of the handler for a change.
    private var check: (() -> (() -> Void)?)?
    private var untold: [() -> Void] = []
    private let ended: (ObjectIdentifier) -> Void

    /// - Parameters:
    ///   - check: Compares the property, and returns the call of the handler for a change; nil for none.
    ///   - ended: Called once, at the end of the observation.
    init(_ check: @escaping () -> (() -> Void)?, ended: @escaping (ObjectIdentifier) -> Void) {
        self.check = check
        self.ended = ended
    }

    deinit { invalidate() }

    /// Ends the observation: the handler is not called any more.
    ///
    /// Any thread; returns at once. On a thread other than the main one a call in progress may still finish.
    ///
    /// Apple: `NSKeyValueObservation.invalidate()`.
    public func invalidate() {
        // Released outside the lock: a handler may hold the last reference to an object that ends observations itself.
        let old = lock.withLock {
            defer { (check, untold) = (nil, []) }
            return (check: check, untold: untold)
        }
        if old.check != nil { ended(ObjectIdentifier(self)) }
    }

    /// Compares the property and calls the handler, on the main thread.
    func look() { lock.withLock { check }?()?() }

    /// Compares the property on the current queue, and calls the handler on the main queue, if the observation lasts
    /// until then.
    func lookAside() {
        guard let tell = lock.withLock({ check })?() else { return }
        lock.withLock { if check != nil { untold.append(tell) } }
        Delivery.perform { [weak self] in self?.tell() }
    }

    private func tell() {
        let next = lock.withLock { untold.isEmpty ? nil : untold.removeFirst() }
        next?()
    }
}

// SAFETY: `check` and `untold` are guarded by `lock`; `check` runs on one queue only, its results on the main thread.
extension NSKeyValueObservation: @unchecked Sendable {}

/// The observations of an object's properties.
package final class PropertyObservers: Sendable {
    private struct Entry {
        let id: ObjectIdentifier
        weak var observation: NSKeyValueObservation?
    }

    private struct State {
        var list: [Entry] = []
        /// Whether a comparison of all properties is scheduled.
        var isLookComing = false
    }

    private let state = Guarded(State())
    private let queue: DispatchQueue?
    private let around: @Sendable (() -> Void) -> Void

    /// An empty list of observations.
    ///
    /// - Parameters:
    ///   - queue: A serial queue for reading properties that wait for the sound server; nil reads them on the main
    ///     thread.
    ///   - around: Runs the comparisons on the main thread, and keeps the object alive meanwhile.
    package init(
        readingOn queue: DispatchQueue? = nil, around: @escaping @Sendable (() -> Void) -> Void = { $0() }
    ) {
        self.queue = queue
        self.around = around
    }

    /// Whether all observations have ended.
    package var isEmpty: Bool { state.withLock { $0.list.isEmpty } }

    /// Observes a property: compares it with its last value at each ``changed()``, and calls the handler on the main
    /// thread for each difference.
    ///
    /// - Parameter ended: Called after the end of the observation, on any thread and without a lock.
    package func observe<Object: AnyObject, Value>(
        _ keyPath: KeyPath<Object, Value>, of object: Object, _ options: NSKeyValueObservingOptions,
        ended: @escaping @Sendable () -> Void = {},
        _ handler: @escaping (Object, NSKeyValueObservedChange<Value>) -> Void
    ) -> NSKeyValueObservation {
        var last = object[keyPath: keyPath]
        let first = last
        let observation = NSKeyValueObservation { [weak object] in
            guard let object else { return nil }
            let now = object[keyPath: keyPath]
            guard !Self.areEqual(last, now) else { return nil }
            let change = NSKeyValueObservedChange(
                newValue: options.contains(.new) ? now : nil, oldValue: options.contains(.old) ? last : nil)
            last = now
            return { handler(object, change) }
        } ended: { [weak self] id in
            self?.remove(id)
            ended()
        }
        state.withLock { $0.list.append(Entry(id: ObjectIdentifier(observation), observation: observation)) }
        if options.contains(.initial) {
            handler(object, NSKeyValueObservedChange(newValue: options.contains(.new) ? first : nil, oldValue: nil))
        }
        // The property may have changed between its first reading and its registration. With a queue, the caller checks
        // later.
        if queue == nil { Delivery.perform { [weak observation, around] in around { observation?.look() } } }
        return observation
    }

    /// Notes that properties may have changed; to be called without a lock that they need.
    ///
    /// Called on the main thread, it returns after the handlers, unless a queue reads the properties.
    package func changed() {
        if queue == nil, Delivery.isHere { return look() }
        let isFirst = state.withLock {
            // The scheduled comparison will see this change too.
            guard !$0.list.isEmpty, !$0.isLookComing else { return false }
            $0.isLookComing = true
            return true
        }
        guard isFirst else { return }
        guard let queue else { return Delivery.perform { [weak self] in self?.look() } }
        queue.async { [weak self] in for entry in self?.due ?? [] { entry.observation?.lookAside() } }
    }

    private func look() {
        // Each observation is kept only during its own comparison, so one that is released before, even by a handler,
        // is not called any more.
        let entries = due
        if !entries.isEmpty { around { for entry in entries { entry.observation?.look() } } }
    }

    /// The observations to compare now; changes from here on need another comparison.
    private var due: [Entry] {
        state.withLock {
            $0.isLookComing = false
            return $0.list
        }
    }

    /// By identity, because weak references are nil during `deinit`.
    private func remove(_ id: ObjectIdentifier) { state.withLock { $0.list.removeAll { $0.id == id } } }

    private static func areEqual(_ first: Any, _ second: Any) -> Bool {
        func compare<Value: Equatable>(_ first: Value) -> Bool { first == second as? Value }
        if let first = first as? any Equatable { return compare(first) }
        return String(describing: first) == String(describing: second)
    }
}
