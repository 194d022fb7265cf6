internal import PulseClient

/// What a ``StreamDirectory`` does with each of its tables.
protocol StreamDirectoryPart: AnyObject {
    /// Whether nothing that has been asked for is still to be answered.
    var isSettled: Bool { get }
    /// Asks for the whole list; told when it is there, or will not be.
    func fill(completion: @escaping (PulseError?) -> Void)
    /// Forgets everything, answers that are on their way included.
    func clear()
}

/// The server's objects of one kind, of which each is asked for again when it changed.
///
/// There is at most one question under way for each object, however often it changes meanwhile; a removed one is gone
/// at once.
// SAFETY: only touched with the main loop's lock held.
final class StreamDirectoryTable<Object>: StreamDirectoryPart, @unchecked Sendable {
    /// Asks the server for all objects.
    typealias List = (isolated PulseConnection, @escaping PulseConnection.Completion<[Object]>) -> Void
    /// Asks the server for the object with an index.
    typealias Ask = (isolated PulseConnection, UInt32, @escaping PulseConnection.Completion<Object>) -> Void

    /// How far a question has come.
    private enum Question {
        /// Asked. Can move to: outdated, or away (answered, or the object was removed).
        case asked
        /// The object changed since it was asked for. Can move to: asked (again, after the answer), or away (removed).
        case outdated
    }

    /// What is known, by index.
    private(set) var objects: [UInt32: Object] = [:]
    /// What is known of the objects of which nothing newer is on its way.
    var settledObjects: [Object] { objects.filter { questions[$0.key] == nil }.map(\.value) }
    private var questions: [UInt32: Question] = [:]
    private let connection: PulseConnection
    private let index: (Object) -> UInt32
    private let list: List
    private let ask: Ask
    private let changed: () -> Void
    private var whenFilled: (PulseError?) -> Void = { _ in }
    /// Numbers the lives of the table, so that an answer to an earlier one is recognised.
    private var life = 0

    /// An empty table of objects with the given index, whose `changed` is told after each answer and removal.
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
            // What changed meanwhile was asked for after the list, so its answer is still to come.
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

    /// The server told of a change.
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
        // What was removed meanwhile has no question any more.
        guard let question = questions.removeValue(forKey: index) else { return }
        // What is gone has no answer; an event of its own says so.
        if case .success(let object) = result { objects[index] = object }
        if question == .outdated { refresh(index) }
        changed()
    }
}
