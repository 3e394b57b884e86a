import PipeCommon
import TestSupport

@testable import price_format

/// A board on a screen, driven by a simulated clock. The board receives readings and keys and returns frames.
struct BoardSession {
    var board = Board()
    private let view: BoardView
    /// The simulated time, in milliseconds since `start`.
    private(set) var time = 0
    private var beat = 0

    init(
        usesColor: Bool = false, glyphs: Glyphs = .unicode, board: Board = Board(), hasClock: Bool = false,
        offlineHint: String? = nil
    ) {
        var wording = Wording.inUTC(timeFormat: "MMM d, HH:mm:ss")
        (wording.offlineHint, wording.shown) = (offlineHint, glyphs.shown)
        let times = ChartTimes(ICULocale(identifier: "en_US"), offset: { _ in 0 })
        view = BoardView(wording, Palette(usesColor: usesColor), glyphs, times)
        self.board = board
        self.board.hasClock = hasClock || board.hasClock
    }

    /// How far the viewer's wall clock is ahead of the clock that sets the beats, in milliseconds.
    var wallAhead = 0

    static let start = Timestamp("2026-11-21T14:03:07.000Z")!

    var now: Timestamp { Self.start + .milliseconds(time) }

    var moment: Moment { Moment(now, wallAhead: wallAhead) }

    mutating func wait(_ milliseconds: Int) {
        time += milliseconds
    }

    /// Plays the next beat, by default one second after the previous beat. An answer has the form `"BTC-USD 68901.23"`
    /// (a price from Binance), `"BTC-USD 68901.23 coinbase"` (a price from another source) or `"BTC-USD"` (a failed
    /// tick).
    mutating func beat(_ answers: String..., after interval: Int = 1000) { beat(answers, after: interval) }

    mutating func beat(_ answers: [String], after interval: Int = 1000) {
        if beat > 0 { wait(interval) }
        for answer in answers { record(answer) }
        beat += 1
    }

    /// Plays a step: `"Ab"` is a beat with a price for A-USD and a failed tick for B-USD, `"+50"`
    /// waits 50 ms, `"f"` marks the input as a recording, and `"p"` stops or starts the clock.
    mutating func play(_ step: Substring) {
        switch step.first {
        case "+": wait(Int(step.dropFirst())!)
        case "f": board.isRecording = true
        case "p": board.toggleClock(at: moment)
        default: beat(step.map { $0.isUppercase ? "\($0)-USD 1.00" : "\($0.uppercased())-USD" })
        }
    }

    /// Records an answer, in the form that `beat` expects, without advancing the clock.
    mutating func record(_ answer: String) {
        let words = answer.split(separator: " ").map(String.init)
        let tick = Tick(number: beat, at: now, symbol: Symbol(words[0]))
        guard words.count > 1 else { return record(answerless: tick) }
        let source = words.count > 2 ? words[2] : "binance"
        var reading = Reading(answering: tick, anyQuote(words[1], at: now), from: source)
        reading.isMadeUp = source == "echo"
        board.record(reading, at: moment)
    }

    /// Records the previous day's closing price, such as `"BTC-USD 68000.00"`, as the answer to a tick for a candle of
    /// the given length.
    mutating func close(_ answer: String, of length: Candle = .day) {
        let words = answer.split(separator: " ").map(String.init)
        let begin = Candle.day.beginning(of: now) + .seconds(-86_400)
        let quote = anyQuote(words[1], at: begin + .seconds(86_400))
        let tick = Tick(at: begin, symbol: Symbol(words[0]), candle: length)
        var reading = Reading(answering: tick, quote, from: "binance")
        reading.isClosed = true
        board.record(reading, at: moment)
    }

    /// Records today's open candle with its current price (such as `"BTC-USD 68901.23"`), its low and its high.
    mutating func openDay(_ answer: String, low: String, high: String) {
        let words = answer.split(separator: " ").map(String.init)
        let range = CandleRange(open: Price(low), high: Price(high), low: Price(low))
        let quote = Quote(price: Price(words[1])!, currency: .usDollar, timestamp: now, range: range)
        let tick = Tick(
            number: 0, at: Candle.day.beginning(of: now), symbol: Symbol(words[0]), candle: .day)
        board.record(Reading(answering: tick, quote, from: "binance"), at: moment)
    }

    /// Records a failed tick as `price-cache` reports it: with the failure, the error flag and the last known quote, if
    /// any.
    private mutating func record(answerless tick: Tick) {
        var reading = Reading(answering: tick, [anyFailure("binance", .timeout)])
        let last = board.rows.first { $0.symbol == tick.symbol }?.reading
        (reading.quote, reading.source, reading.error) = (last?.quote, last?.source, true)
        board.record(reading, at: moment)
    }

    /// Types keys, given as the bytes that a terminal sends. All bytes arrive together.
    ///
    /// - Parameter page: how many symbols are listed at once.
    /// - Returns: the requests that the keys cause.
    @discardableResult mutating func type(_ keys: String, page: Int = 10) -> [Board.Request] {
        var parser = KeyParser()
        var typed = parser.keys(in: keys.utf8)
        if let escape = parser.expire(at: .now + .seconds(1)) { typed.append(escape) }
        let requests = typed.compactMap { board.press($0, page: page) }
        board.arrange()
        return requests
    }

    func frame(_ columns: Int, _ rows: Int) -> Frame {
        var (board, view) = (board, view)
        board.arrange()
        return view.frame(of: board, at: moment, ScreenSize(columns: columns, rows: rows))
    }

    func lines(_ columns: Int, _ rows: Int) -> [String] { frame(columns, rows).lines }

    func text(_ columns: Int, _ rows: Int) -> String {
        lines(columns, rows).map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
            .joined(separator: "\n")
    }

    var selected: String? { board.choice.selected?.text }

    /// The symbols in the order in which they are listed.
    var symbols: [String] {
        var board = board
        board.arrange()
        return board.list.map { board.rows[$0].symbol.text }
    }
}

extension PriceChange {
    static func up(_ size: Price) -> Self { Self(difference: size, currency: .usDollar, isUp: true) }
    static func down(_ size: Price) -> Self { Self(difference: size, currency: .usDollar, isUp: false) }
}
