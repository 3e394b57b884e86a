import PipeCommon
import TestSupport

/// Checks that each line of a pipeline obeys the rules that must always hold, counts the violations, and
/// describes the first 20. `Soak` checks the rules that do not concern a single line. These are all the rules:
///
/// - I1: Each tick of each symbol gets one reading, in order. Unless a stage is killed, each reading is shown.
/// - I2: Each line is on time, unless the machine itself causes the delay.
/// - I3: A new price was sent by its source for its symbol and tick. Without a new price, the last quote is shown, if
///   there is one (after a kill, possibly an earlier quote). The text shows the price of the reading. The exchanges
///   receive only correct requests.
/// - I4: After a pipeline ends, none of its processes is left.
/// - I5: The memory, descriptors and threads of each process stay bounded.
/// - I6: The exit status is correct, and no program reports a bug.
/// - I7: Each line is printable.
struct Invariants {
    /// The counts and the longest times of a whole soak.
    struct Counts {
        var ticks = 0
        var quotes = 0
        var rescues = 0
        var banners = 0
        /// How many lines exceeded their budget plus the slack, and how many of these lines were delayed by the machine
        /// itself.
        var (late, heldUp) = (0, 0)
        /// The longest time from the start of a pipeline to its first line.
        var slowestStart = Duration.zero
        /// The longest time from a tick to its reading, or from the pipeline's first line to the reading if that line
        /// arrived after the tick.
        var slowest = Duration.zero
    }

    private var prices: PriceCheck
    private let limit: Duration
    /// How long a pipeline may take to write its first line. The limit is only meant to find pipelines that
    /// never start. It is generous because, on a busy machine, ten pipelines that were built without
    /// optimization took 15 seconds to start side by side. `scripts/bench` measures how fast pipelines start.
    private static let startLimit = Duration.seconds(40)

    /// Returns how much the machine itself has delayed processes since the given instant.
    private let machineDelay: (Deadline.Instant) -> Duration
    private(set) var counts = Counts()
    private(set) var broken: [String] = []
    private(set) var brokenCount = 0

    /// The progress of one symbol: the number of its next tick, and its last quote.
    private struct Shown {
        var nextTick = 0
        var last: Quote?
        var hasQuoteInThisRun = false
    }

    private var symbols: [Symbol: Shown]
    private var start = Timestamp.now()
    private var firstLine: Timestamp?
    private var expectedText: [[String]] = []
    private var text: [String] = []

    init(
        of symbols: [Symbol], _ prices: PriceCheck, limit: Duration,
        machineDelay: @escaping (Deadline.Instant) -> Duration
    ) {
        (self.prices, self.limit, self.machineDelay) = (prices, limit, machineDelay)
        self.symbols = Dictionary(uniqueKeysWithValues: symbols.map { ($0, Shown()) })
    }

    /// Prepares for a new pipeline, whose ticks are numbered from 0.
    mutating func begin() {
        (expectedText, text) = ([], [])
        symbols = symbols.mapValues { Shown(last: $0.last) }
        (start, firstLine) = (.now(), nil)
    }

    /// How many ticks the current pipeline has answered for every symbol.
    var answered: Int { symbols.values.map(\.nextTick).min() ?? 0 }

    mutating func breaks(_ what: String) {
        brokenCount += 1
        if broken.count < 20 { broken.append(what) }
    }

    mutating func check(reading line: [UInt8], at arrival: Timestamp) {
        checkBytes(line)
        guard let reading = try? Reading(line: line), let tick = reading.tick, let at = reading.at else {
            return breaks("I1: not a reading: \(String(decoding: line.prefix(200), as: UTF8.self))")
        }
        guard let shown = symbols[reading.pricedSymbol] else {
            return breaks("I1: \(reading.pricedSymbol.text) was not requested")
        }
        if tick != shown.nextTick { breaks("I1: tick \(tick) instead of \(shown.nextTick)") }
        symbols[reading.pricedSymbol]?.nextTick = tick + 1
        counts.ticks += 1
        noteDelay(of: tick, at, arrival)
        if reading.isFresh { checkFresh(reading) } else { checkStoodIn(reading, shown) }
        expectedText.append(expected(reading))
        compareText()
    }

    mutating func check(text line: [UInt8]) {
        checkBytes(line)
        let line = String(decoding: line, as: UTF8.self)
        // A line with "No price yet" and the reason is not compared. It is printed when a symbol's price goes missing,
        // unless the same reason was printed last.
        if !line.hasPrefix("No price yet") { text.append(line) }
        compareText()
    }

    /// Text can arrive before or after the reading that it shows, so whichever arrives first is kept until the other
    /// arrives.
    private mutating func compareText() {
        while let expected = expectedText.first, text.count >= expected.count {
            for (line, form) in zip(text, expected) where !Self.line(line, has: form) {
                breaks("I3: shows '\(line)' but expected '\(form)'")
            }
            expectedText.removeFirst()
            text.removeFirst(expected.count)
        }
    }

    /// How many readings have not been shown yet.
    var unshown: Int { expectedText.count }

    /// The programs of a new pipeline need time to start, especially on a loaded machine, and the clock does not wait
    /// for them. Therefore, ticks before the first line count as due when that line arrives.
    private mutating func noteDelay(of tick: Int, _ at: Timestamp, _ arrival: Timestamp) {
        if firstLine == nil {
            let time = Duration.milliseconds(arrival.milliseconds - start.milliseconds)
            counts.slowestStart = max(counts.slowestStart, time)
            if time > Self.startLimit { breaks("I2: the first line came after \(time.milliseconds) ms") }
        }
        let first = firstLine ?? arrival
        firstLine = first
        let delay = Duration.milliseconds(arrival.milliseconds - max(at, first).milliseconds)
        counts.slowest = max(counts.slowest, delay)
        guard delay > limit else { return }
        counts.late += 1
        // The line may have waited in this program since it arrived, so its age may be greater than its delay.
        let age = max(delay.milliseconds, Timestamp.now().milliseconds - max(at, first).milliseconds)
        let machine = machineDelay(.now + .milliseconds(-age))
        // The machine's delay counts twice: a tick passes through several programs on its way to a source,
        // and the reading passes through several programs on its way here.
        if delay - limit <= machine * 2 {
            counts.heldUp += 1
        } else {
            breaks(
                "I2: tick \(tick) took \(delay.milliseconds) ms, the machine's delay was \(machine.milliseconds) ms"
            )
        }
    }

    private mutating func checkFresh(_ reading: Reading) {
        counts.quotes += 1
        if !reading.failures.isEmpty { counts.rescues += 1 }
        if let fault = prices.fault(of: reading) { breaks("I3: \(fault): \(reading.text)") }
        symbols[reading.pricedSymbol]?.last = reading.quote
        symbols[reading.pricedSymbol]?.hasQuoteInThisRun = true
    }

    private mutating func checkStoodIn(_ reading: Reading, _ shown: Shown) {
        counts.banners += 1
        if reading.failures.isEmpty { breaks("I3: tick \(reading.tick!) has neither a quote nor a failure") }
        guard let quote = reading.quote else {
            if shown.last != nil { breaks("I3: the last quote is missing") }
            return
        }
        // A cache that was killed may have stored an earlier quote but not the last quote.
        let origin = prices.origin(of: quote.price)
        let isKnown =
            shown.hasQuoteInThisRun
            ? quote == shown.last
            : origin?.source == reading.source && origin?.symbol == reading.pricedSymbol
        if !isKnown { breaks("I3: \(quote.price.text) is shown but was not the last quote") }
    }

    private mutating func checkBytes(_ line: [UInt8]) {
        let isPrintable = line.allSatisfy { (0x20..<0x7F).contains($0) }
        if !isPrintable { breaks("I7: not printable: \(line.prefix(200))") }
    }

    /// The expected text of each line for a reading: the beginning of a banner and the end of any other line.
    /// Only these parts are compared.
    private func expected(_ reading: Reading) -> [String] {
        let symbol = reading.pricedSymbol == .bitcoin ? "" : "\(reading.pricedSymbol.text) "
        let price = reading.quote.map { " - \(symbol)$\($0.price.text)" } ?? "\(symbol)-"
        let banner = "Failed to update value. Displaying last updated value from "
        return reading.isFresh || reading.quote == nil ? [price] : [banner, price]
    }

    private static func line(_ line: String, has form: String) -> Bool {
        if line.hasPrefix("Failed") { return line.hasPrefix(form) }
        // With several symbols, the lines for BTC-USD also contain the symbol.
        return line.replacing(",", with: "").replacing("BTC-USD ", with: "").hasSuffix(form)
    }
}
