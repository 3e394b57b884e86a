import PipeCommon

/// The amount of one symbol that the user holds, and its cost.
struct Holding: Equatable {
    /// The amount in units of 10⁻¹².
    let amount: Int128
    /// The price paid for the whole amount, in units of 10⁻²⁴; nil if any of the symbol's valid lines lacks a price.
    let cost: Int128?

    /// The exact value at a given price, in units of 10⁻²⁴; nil for a value above about 1.7 · 10¹⁴, which does not fit
    /// in 128 bits.
    func value(at price: Price) -> Int128? { Self.product(amount, price.units) }

    fileprivate static func product(_ amount: Int128, _ price: Int128) -> Int128? {
        let (product, isTooLarge) = amount.multipliedReportingOverflow(by: price)
        return isTooLarge ? nil : product
    }
}

/// The user's holdings, parsed from lines of the form `SYMBOL AMOUNT [PRICE PAID PER UNIT]`. If several lines contain
/// the same symbol, their amounts are added. Blank lines and comments are skipped; a `#` at the beginning of a word
/// begins a comment.
struct Holdings {
    private var all: [Symbol: Holding] = [:]
    /// The numbers of the invalid lines. The lines themselves are never shown, because their contents are private.
    private(set) var badLines: [Int] = []
    /// The maximum number of line numbers in the warning about invalid lines.
    private static let mostShown = 10

    init() {}

    init(_ text: String) {
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
            .enumerated()
        {
            let words = line.split { $0 == " " || $0 == "\t" }.prefix { !$0.hasPrefix("#") }
            if words.isEmpty { continue }
            if !add(words.map(String.init)) { badLines.append(index + 1) }
        }
    }

    private mutating func add(_ words: [String]) -> Bool {
        guard (2...3).contains(words.count), let symbol = Symbol(words[0].uppercased()),
            let amount = Volume(words[1])?.units
        else { return false }
        var cost: Int128?
        if words.count == 3 {
            guard let price = Volume(words[2])?.units, let paid = Holding.product(amount, price) else {
                return false
            }
            cost = paid
        }
        let old = all[symbol] ?? Holding(amount: 0, cost: 0)
        let (sum, isTooLarge) = old.amount.addingReportingOverflow(amount)
        let paid = old.cost.flatMap { old in cost.map { old.addingReportingOverflow($0) } }
        if isTooLarge || paid?.overflow == true { return false }
        all[symbol] = Holding(amount: sum, cost: paid?.partialValue)
        return true
    }

    var isEmpty: Bool { all.isEmpty }
    var symbols: Set<Symbol> { Set(all.keys) }
    subscript(symbol: Symbol) -> Holding? { all[symbol] }

    /// Reads a file of at most 1 MiB. Invalid lines are skipped, and a warning lists the numbers of the first few. If
    /// the file cannot be read, a warning is printed, and there are no holdings.
    init(readingFrom path: String, _ diagnostics: Diagnostics) {
        self.init(textOfFile(path, diagnostics))
        if badLines.isEmpty { return }
        let (shown, more) = (badLines.prefix(Self.mostShown), badLines.count - Self.mostShown)
        let lines = shown.map { "\($0)" }.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        diagnostics.warning(
            "\(path): line\(badLines.count > 1 ? "s" : "") \(lines): "
                + "expected a symbol, an amount and, optionally, the price paid per unit; "
                + "the total paid for a symbol must be below 100 trillion")
    }
}

/// The total value of all holdings in one currency. Every number that depends on a missing price or on an invalid line
/// of the file is nil. Pure.
struct HoldingsTotal: Equatable {
    let currency: Currency
    /// The current value. Like `gain` and `before`, it is in units of 10⁻²⁴.
    private(set) var value: Int128? = 0
    /// The value minus the price paid for the holdings.
    private(set) var gain: Int128? = 0
    /// The value at the close of the previous day.
    private(set) var before: Int128? = 0
    /// Why the value is not known, in words for the user; nil if the value is known or is merely too large.
    private(set) var problem: String?
    /// Whether any price that the total depends on is missing, stale or disputed, or any line of the file is invalid.
    private(set) var isStale = false

    /// The change in the value since the close of the previous day, in hundredths of a percent; nil if either value is
    /// not known, the earlier value is below 10⁻¹², or the change is too large for an `Int`.
    var today: Int? {
        guard let value, let before else { return nil }
        // The values are converted to units of 10⁻¹², so that the multiplication does not overflow.
        let (now, then) = (value / Self.unit, before / Self.unit)
        guard then != 0 else { return nil }
        let hundredths = (abs(now - then) * 20_000 / then + 1) / 2
        return Int(exactly: now < then ? -hundredths : hundredths)
    }

    static let unit: Int128 = 1_000_000_000_000
    private static let noPrice = "no price"

    /// Makes every number of the total unknown because of the given problem.
    private mutating func addUnknown(_ problem: String) {
        (value, gain, before, isStale) = (nil, nil, nil, true)
        self.problem = problem
    }

    /// The totals, one per currency, sorted by currency code. A holding whose currency is not known may belong to any
    /// total, and so may an invalid line of the file. If there is such a holding or line, no total is known.
    ///
    /// - Parameters:
    ///   - price: returns the reading of a symbol, and whether its price is missing, stale or disputed; nil if there is
    ///     no reading.
    ///   - close: returns a symbol's quote at the close of the previous day; nil if this close is not known.
    static func all(
        of holdings: Holdings, price: (Symbol) -> (reading: Reading, isStale: Bool)?,
        close: (Symbol) -> Quote? = { _ in nil }
    ) -> [HoldingsTotal] {
        var totals: [Currency: HoldingsTotal] = [:]
        var isCurrencyUnknown = false
        for symbol in holdings.symbols {
            let (holding, known) = (holdings[symbol]!, price(symbol))
            guard let currency = known?.reading.quote?.currency ?? symbol.currencyOfPair else {
                isCurrencyUnknown = true
                continue
            }
            var total = totals[currency] ?? HoldingsTotal(currency: currency)
            let value = known?.reading.quote.flatMap { holding.value(at: $0.price) }
            if known?.reading.quote == nil { total.problem = noPrice }
            total.value = Self.sum(total.value, value)
            total.gain = Self.sum(total.gain, value.flatMap { value in holding.cost.map { value - $0 } })
            total.before = Self.sum(total.before, close(symbol).flatMap { holding.value(at: $0.price) })
            total.isStale = total.isStale || known?.isStale ?? true
            totals[currency] = total
        }
        let problem = !holdings.badLines.isEmpty ? "invalid line" : isCurrencyUnknown ? noPrice : nil
        if let problem { for currency in totals.keys { totals[currency]?.addUnknown(problem) } }
        return totals.values.sorted { $0.currency.code < $1.currency.code }
    }

    private static func sum(_ one: Int128?, _ other: Int128?) -> Int128? {
        guard let one, let other else { return nil }
        let (sum, isTooLarge) = one.addingReportingOverflow(other)
        // `Int128.min` is excluded because its absolute value does not fit in an `Int128`.
        return isTooLarge || sum == .min ? nil : sum
    }
}
