import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_format

/// The state of the board after each reading.
@Suite(.unit) struct BoardModelTests {
    private func fresh(_ price: String, symbol: String? = nil) -> Reading {
        Reading(answering: anyTick(symbol: symbol), anyQuote(price), from: "binance")
    }

    private func stale(_ price: String) -> Reading {
        var reading = Reading(answering: anyTick(), anyQuote(price), from: "binance", after: [anyFailure()])
        reading.error = true
        return reading
    }

    private func makeSUT(_ readings: Reading...) -> Board {
        var sut = Board()
        for reading in readings { sut.record(reading) }
        return sut
    }

    @Test func `the board has one row for each symbol, in the order in which the symbols appeared`() {
        let (bitcoin, ether) = (fresh("2.00"), fresh("3.00", symbol: "ETH-USD"))
        #expect(makeSUT(fresh("1.00"), ether, bitcoin).rows.map(\.reading) == [bitcoin, ether])
    }

    @Test func `prices in different currencies or from different sources or markets are not compared`() {
        func reading(_ currency: String = "USD", _ source: String = "binance", _ market: String? = nil)
            -> Reading
        {
            let quote = Quote(
                price: Price("2.00")!, currency: Currency(currency)!, timestamp: anyTime(),
                market: market.flatMap(InlineText.init))
            return Reading(answering: anyTick(), quote, from: source)
        }
        for other in [reading("EUR"), reading("USD", "coinbase"), reading("USD", "binance", "BTCUSDT")] {
            #expect(makeSUT(fresh("1.00"), other).rows.map(\.move) == [nil])
            #expect(makeSUT(other, fresh("1.00")).rows.map(\.move) == [nil])
        }
        #expect(makeSUT(fresh("1.00"), reading()).rows.map(\.move) == [.up(Price("1")!)])
    }

    @Test func `beats with interleaved answers are counted separately`() {
        var sut = Board()
        for (milliseconds, symbol) in [(0, "A-USD"), (1000, "A-USD"), (0, "B-USD"), (1000, "B-USD")] {
            let tick = Tick(number: 1, at: anyTime(milliseconds), symbol: Symbol(symbol))
            sut.record(Reading(answering: tick, anyQuote(), from: "binance"), at: anyTime())
        }
        #expect(sut.beats.count == 2 && sut.beats.interval == 1000)
    }

    /// Series of ticks, with the number of beats after each tick.
    private static let ticks: [[(Tick, Int)]] = [
        // The wall clock is set back.
        [(0, 1), (-10_000, 1), (-10_001, 2), (-9001, 3)].map { (Tick(at: anyTime($0)), $1) },
        // Without times, a beat begins with a new number or a symbol's second answer.
        [(1, "A", 1), (1, "B", 1), (2, "A", 2), (nil, "A", 3), (nil, "B", 3), (nil, "B", 4)].map {
            (Tick(number: $0, symbol: Symbol($1)), $2)
        },
    ]

    @Test(arguments: ticks)
    func `a later or much earlier time, a new number or a symbol's second answer begins a new beat`(
        ticks: [(Tick, Int)]
    ) {
        var sut = Beats()
        for (tick, count) in ticks {
            sut.record(Reading(answering: tick, anyQuote(), from: "binance"))
            #expect(sut.count == count)
        }
    }

    @Test(arguments: [
        ("AB A A A", "AB"), ("AB A A A A", "A"), ("AB A A A A B", "AB"), ("AB B B B B B", "B"),
        // A symbol does not disappear while its ticks fail or while nothing arrives.
        ("Ab Ab Ab Ab Ab Ab Ab Ab Ab Ab", "AB"), ("AB +3600000", "AB"),
    ])
    func `a symbol disappears after more than three beats without a reading`(steps: String, symbols: String) {
        var sut = BoardSession()
        for step in steps.split(separator: " ") { sut.play(step) }
        #expect(sut.symbols == symbols.map { "\($0)-USD" })
    }

    @Test func `with beats every 200 ms, a symbol disappears only after 1.4 seconds without a reading`() {
        var sut = BoardSession()
        for second in 0..<3 {
            sut.beat("A-USD 1.00", "B-USD", after: 200)
            for _ in 0..<(second == 2 ? 6 : 4) {
                sut.beat("A-USD 1.00", after: 200)
                #expect(sut.symbols == ["A-USD", "B-USD"])
            }
        }
        sut.beat("A-USD 1.00", after: 200)
        #expect(sut.symbols == ["A-USD"])
    }

    @Test func `the last move is kept until the next move or until the source changes`() {
        var sut = BoardSession()
        sut.beat("A-USD 1.00")
        sut.beat("A-USD 3.50")
        for answer in ["A-USD 3.50", "A-USD", "A-USD 3.50"] {
            sut.beat(answer)
            #expect(sut.board.rows.map(\.move) == [.up(Price("2.5")!)])
        }
        sut.beat("A-USD 3.60 coinbase")
        #expect(sut.board.rows.map(\.move) == [nil])
        sut.beat("A-USD 3.50 coinbase")
        #expect(sut.board.rows.map(\.move) == [.down(Price("0.1")!)])
    }

    @Test func `the price of a candle is not shown as the current price`() {
        var sut = makeSUT(fresh("1.00"))
        let tick = Tick(number: 0, at: anyTime(-86_400_000), candle: .day)
        sut.record(Reading(answering: tick, anyQuote("9.00"), from: "binance"))
        #expect(sut.rows.map(\.reading) == [fresh("1.00")] && sut.beats.count == 1)
        #expect(sut.rows.map { $0.session.high?.price.text } == ["1.00"])
    }

    @Test
    func `rows are sorted by price and then by symbol, but rows without a price always come last`() {
        var sut = BoardSession()
        sut.beat("A-USD 9.00", "B-USD", "C-USD 10.00", "D-USD 0.5", "E-USD", "F-USD 10.00")
        #expect(sut.symbols == ["C-USD", "F-USD", "A-USD", "D-USD", "B-USD", "E-USD"])
        sut.type("r")
        #expect(sut.symbols == ["D-USD", "A-USD", "C-USD", "F-USD", "B-USD", "E-USD"])
    }

    @Test func `a new frame is due at the next full second and at the end of a flash`() {
        var sut = BoardSession()
        sut.beat("A-USD 1.00")
        sut.wait(600)
        sut.record("A-USD 2.00")
        for (wait, change) in [(0, 400), (500, 500), (500, 400)] {
            sut.wait(wait)
            #expect(sut.board.nextChange(after: sut.moment) == .milliseconds(change))
        }
    }

    @Test func `the first new price is not compared with the stale price before it`() {
        #expect(makeSUT(stale("62901.23"), fresh("68901.23")).rows.map(\.move) == [nil])
    }

    @Test func `each source has its own high, low and sparkline, which continue when the source returns`() {
        var sut = BoardSession()
        for price in ["5.00", "9.00", "7.00"] { sut.beat("A-USD \(price)") }
        sut.beat("A-USD 50.00 coinbase")
        #expect(sut.board.rows.map { $0.session.high?.price.text } == ["50.00"])
        #expect(sut.board.rows.map { $0.session.low?.price.text } == ["50.00"])
        sut.beat("A-USD 6.00")
        let session = sut.board.rows[0].session
        #expect(session.high?.price.text == "9.00" && session.low?.price.text == "5.00")
        #expect(
            session.all.last(5, until: sut.now.milliseconds).map { $0 == nil } == [
                false, false, false, true, false,
            ])
    }

    @Test func `60,000 key presses are handled one by one within 5 seconds, even with 3,000 rows`() {
        var sut = BoardSession()
        for number in 0..<3000 { sut.record("S\(number)-USD \(number + 1)") }
        let start = Deadline.Instant.now
        for _ in 0..<30_000 { _ = sut.board.press(.letter("j"), page: 10) }
        for _ in 0..<30_000 { _ = sut.board.press(.letter("s"), page: 10) }
        for key in "/s15".utf8 { _ = sut.board.press(.byte(key), page: 10) }
        sut.board.arrange()
        #expect(sut.selected == "S1599-USD", "the match with the highest price")
        #expect(Deadline.Instant.now - start < .seconds(5))
    }
}
