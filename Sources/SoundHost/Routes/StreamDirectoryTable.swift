internal import PulseClient

/// A table of a ``StreamDirectory``, independent of its type of object.
protocol StreamDirectoryPart: AnyObject {
    /// Whether no answer is pending.
    var isSettled: Bool { get }
    /// Fetches the whole list; the completion is called with its end or its error.
    func fill(completion: @escaping (PulseError?) -> Void)
    /// Clears the table, and ignores pending answers.
    func clear()
}

/// The server's objects of one kind, each of which is fetched again after a change.
///
/// At most one request per object is pending, however often it changes meanwhile. A removed object is gone at once.
// SAFETY: only touched with the main loop's lock held.
final class StreamDirectoryTable<Object>: StreamDirectoryPart, @unchecked Sendable {
    /// Fetches all objects.
    typealias List = (isolated PulseConnection, @escaping PulseConnection.Completion<[Object]>) -> Void
    /// Fetches the object with an index.
    typealias Ask = (isolated PulseConnection, UInt32, @escaping PulseConnection.Completion<Object>) -> Void

    /// The state of a request.
    private enum Question {
        /// Sent. Can move to: outdated, or away (answered, or the object was removed).
        case asked
        /// The object has changed since the request. Can move to: asked (again, after the answer), or away (removed).
        case outdated
    }

    /// The known objects, by index.
    private(set) var objects: [UInt32: Object] = [:]
    /// The known objects without a pending request.
    var settledObjects: [Object] { objects.filter { questions[$0.key] == nil }.map(\.value) }
    private var questions: [UInt32: Question] = [:]
    private let connection: PulseConnection
    private let index: (Object) -> UInt32
    private let list: List
    private let ask: Ask
    private let changed: () -> Void
    private var whenFilled: (PulseError?) -> Void = { _ in }
    /// The number of the table's current life, which identifies answers to requests of an earlier one.
    private var life = 0

    /// Creates an empty table.
    ///
    /// `changed` is called after each answer and removal.
    init(
        _ connection: PulseConnection, index: @escaping (Object) -> UInt32, list: @escaping List, ask: @escaping Ask,
        changed: @escaping () -> Void
    ) {
        self.connection = connection
        self.index = index
        self.list = list
        self.ask = ask
        self.changed = changed
    }

    var isSettled: Bool { questions.isEmpty }

    func fill(completion: @escaping (PulseError?) -> Void) {
        whenFilled = completion
        let life = life
        connection.sync { connection in
            self.list(connection) { [weak self] result in
                guard let self, self.life == life else { return }
                self.filled(result)
            }
        }
    }

    private func filled(_ result: Result<[Object], PulseError>) {
        let told = whenFilled
        whenFilled = { _ in }
        switch result {
        case .success(let list):
            // Changed objects were requested after the list, so their answers are still to come.
            objects = Dictionary(list.map { (index($0), $0) }, uniquingKeysWith: { $1 })
            told(nil)
        case .failure(let error): told(error)
        }
    }

    func clear() {
        life += 1
        objects = [:]
        questions = [:]
        whenFilled = { _ in }
    }

    /// Handles a change reported by the server.
    func received(_ change: SubscriptionEvent.Change, at index: UInt32) {
        switch change {
        case .new, .change:
            if questions[index] == nil { refresh(index) } else { questions[index] = .outdated }
        case .remove:
            questions[index] = nil
            objects[index] = nil
            changed()
        }
    }

    private func refresh(_ index: UInt32) {
        questions[index] = .asked
        let life = life
        connection.sync { connection in
            self.ask(connection, index) { [weak self] result in
                guard let self, self.life == life else { return }
                self.answered(result, at: index)
            }
        }
    }

    private func answered(_ result: Result<Object, PulseError>, at index: UInt32) {
        // A removed object has no request any more.
        guard let question = questions.removeValue(forKey: index) else { return }
        // A failure is ignored: a vanished object is reported by an event.
        if case .success(let object) = result { objects[index] = object }
        if question == .outdated { refresh(index) }
        changed()
    }
}
