import Testing

/// Goes through Apple's symbols, one entry each.
///
/// An entry compiles where the symbol exists under its spelling, and its value is compared where it has one.
/// `scripts/symbols` reads the same entries and writes docs/symbols.md.
///
/// What the three standings mean is in docs/decisions/0057. The script knows the entries by their first word, takes
/// what stands in a section (`// MARK:`) as a table, and calls `Adopter` what the section is called.
struct SymbolLedger {
    private(set) var working = 0
    private(set) var accepted = 0
    private(set) var failing = 0

    var all: Int { working + accepted + failing }

    // MARK: It does what Apple says

    mutating func works<Symbol>(_ symbol: Symbol, named: String? = nil, note: String? = nil) { working += 1 }

    /// A method without arguments, whose name alone does not show that it is one.
    mutating func works<Symbol>(method: Symbol, note: String? = nil) { working += 1 }

    mutating func works<Symbol: RawRepresentable>(
        _ symbol: Symbol, raw: Symbol.RawValue, note: String? = nil, at place: SourceLocation = #_sourceLocation
    ) where Symbol.RawValue: Equatable {
        #expect(symbol.rawValue == raw, sourceLocation: place)
        working += 1
    }

    mutating func works<Value: Equatable>(
        _ symbol: Value, is value: Value, note: String? = nil, at place: SourceLocation = #_sourceLocation
    ) {
        #expect(symbol == value, sourceLocation: place)
        working += 1
    }

    // MARK: It is taken, and nothing comes of it

    mutating func accepts<Symbol>(_ symbol: Symbol, because reason: String) { accepted += 1 }

    mutating func accepts<Symbol: RawRepresentable>(
        _ symbol: Symbol, raw: Symbol.RawValue, because reason: String, at place: SourceLocation = #_sourceLocation
    ) where Symbol.RawValue: Equatable {
        #expect(symbol.rawValue == raw, sourceLocation: place)
        accepted += 1
    }

    mutating func accepts<Value: Equatable>(
        _ symbol: Value, is value: Value, because reason: String, at place: SourceLocation = #_sourceLocation
    ) {
        #expect(symbol == value, sourceLocation: place)
        accepted += 1
    }

    // MARK: It is refused

    mutating func fails<Symbol>(_ symbol: Symbol, because reason: String) { failing += 1 }

    mutating func fails<Symbol: RawRepresentable>(
        _ symbol: Symbol, raw: Symbol.RawValue, because reason: String, at place: SourceLocation = #_sourceLocation
    ) where Symbol.RawValue: Equatable {
        #expect(symbol.rawValue == raw, sourceLocation: place)
        failing += 1
    }

    mutating func fails<Value: Equatable>(
        _ symbol: Value, is value: Value, because reason: String, at place: SourceLocation = #_sourceLocation
    ) {
        #expect(symbol == value, sourceLocation: place)
        failing += 1
    }

    /// What the compiler refuses on Linux, so that there is nothing to refer to.
    mutating func cannotCompile(_ symbol: String, because reason: String) { failing += 1 }
}
