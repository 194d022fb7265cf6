internal import Foundation
internal import Locks

// Foundation on Linux has no key-value observing. These are its names, for the few properties whose objects say when
// they change; docs/decisions/0055 and 0056 have the lists.

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

/// Keeps a handler of changes; ends with ``invalidate()``, or when nobody keeps it.
///
/// Apple: `NSKeyValueObservation`.
public final class NSKeyValueObservation: NSObject {
    private let lock = NSLock()
    /// Looks, and returns how to tell of what is new.
    private var check: (() -> (() -> Void)?)?
    private var untold: [() -> Void] = []
    private let ended: (ObjectIdentifier) -> Void

    /// - Parameters:
    ///   - check: Looks, and returns how to tell of what is new.
    ///   - ended: Told once, when nobody wants to know any more.
    init(_ check: @escaping () -> (() -> Void)?, ended: @escaping (ObjectIdentifier) -> Void) {
        self.check = check
        self.ended = ended
    }

    deinit { invalidate() }

    /// Calls the handler no more; on the main thread from now on, elsewhere but for a call that has begun.
    ///
    /// Apple: `NSKeyValueObservation.invalidate()`.
    public func invalidate() {
        // They are let go of without the lock: a handler may keep the last reference to something that ends observing,
        // too.
        let old = lock.withLock {
            defer { (check, untold) = (nil, []) }
            return (check: check, untold: untold)
        }
        if old.check != nil { ended(ObjectIdentifier(self)) }
    }

    /// Looks and tells, on the main thread.
    func look() { lock.withLock { check }?()?() }

    /// Looks on a queue whose turn it is, and tells on the main queue, if anybody still wants to know by then.
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

// SAFETY: `check` and `untold` are guarded by `lock`; `check` runs on one queue only, what it returns on the main
// thread.
extension NSKeyValueObservation: @unchecked Sendable {}

/// Those who want to be told of an object's properties.
package final class PropertyObservers: Sendable {
    private struct Entry {
        let id: ObjectIdentifier
        weak var observation: NSKeyValueObservation?
    }

    private struct State {
        var list: [Entry] = []
        /// Whether all are about to look, as soon as the main thread or the queue is free.
        var isLookComing = false
    }

    private let state = Guarded(State())
    private let queue: DispatchQueue?
    private let around: @Sendable (() -> Void) -> Void

    /// Nobody yet.
    ///
    /// - Parameters:
    ///   - queue: A serial queue on which properties are read, for those that wait for the sound server; nil reads them
    ///     on the main thread.
    ///   - around: Does on the main thread what looks and tells, and keeps the object for that.
    package init(
        readingOn queue: DispatchQueue? = nil, around: @escaping @Sendable (() -> Void) -> Void = { $0() }
    ) {
        self.queue = queue
        self.around = around
    }

    /// Whether each observation has ended.
    package var isEmpty: Bool { state.withLock { $0.list.isEmpty } }

    /// Compares with what was told last whenever ``changed()`` is called, and tells of each difference on the main
    /// thread.
    ///
    /// - Parameter ended: Called when the observation has been taken out, on any thread and with no lock held.
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
        // What changed after the first look, and before there was somebody to be told. Who has a queue looks later.
        if queue == nil { Delivery.perform { [weak observation, around] in around { observation?.look() } } }
        return observation
    }

    /// Something may have changed; with no lock held that a property needs.
    ///
    /// Whoever changes something on the main thread has been told when this returns, unless a queue reads the
    /// properties.
    package func changed() {
        if queue == nil, Delivery.isHere { return look() }
        let isFirst = state.withLock {
            // What is to come will see this, too.
            guard !$0.list.isEmpty, !$0.isLookComing else { return false }
            $0.isLookComing = true
            return true
        }
        guard isFirst else { return }
        guard let queue else { return Delivery.perform { [weak self] in self?.look() } }
        queue.async { [weak self] in for entry in self?.due ?? [] { entry.observation?.lookAside() } }
    }

    private func look() {
        // Each is kept only while it looks: who lets go of its observation meanwhile, in a handler before it or while the main
        // thread is busy, is not told any more.
        let entries = due
        if !entries.isEmpty { around { for entry in entries { entry.observation?.look() } } }
    }

    /// Those who look now; what changes from here on needs another look.
    private var due: [Entry] {
        state.withLock {
            $0.isLookComing = false
            return $0.list
        }
    }

    /// By its identity: who ends has no weak references any more.
    private func remove(_ id: ObjectIdentifier) { state.withLock { $0.list.removeAll { $0.id == id } } }

    private static func areEqual(_ first: Any, _ second: Any) -> Bool {
        func compare<Value: Equatable>(_ first: Value) -> Bool { first == second as? Value }
        if let first = first as? any Equatable { return compare(first) }
        return String(describing: first) == String(describing: second)
    }
}
