import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import soak

/// `scripts/soak` in its short form, and that it sees what it is there to see.
@Suite(.endToEnd) struct SoakTests {
    private let weathervane = Self.weathervane()
    /// When the ticks are due: before the server gives a price.
    private let now = Timestamp.now()

    private static func weathervane(symbols: Int = 1) -> FaultyServer {
        let fair = (1...).lazy.map { Schedule(seed: $0, ticks: 1) }.first {
            $0.weather(of: 0, at: 0) == .good
        }!
        return FaultyServer(fair, seed: 1, timeout: .milliseconds(800), symbols: symbols)
    }

    private func makeSUT(_ weathervane: FaultyServer? = nil, machineDelay: Duration = .zero) -> Invariants {
        Invariants(weathervane ?? self.weathervane, limit: .seconds(1)) { _ in machineDelay }
    }

    /// A price that the server has just given.
    private func givenPrice() -> String {
        let price = (0..<100).lazy.map { "60000.0\($0)" }.first { weathervane.given($0) == nil }
        _ = weathervane.answer("/binance")
        return price ?? "no price is left"
    }

    private func line(
        _ price: String, tick: Int, symbol: Symbol? = nil, error: Bool = false, at time: Timestamp? = nil
    ) -> [UInt8] {
        let at = time ?? now
        let tick = Tick(number: tick, at: at, symbol: symbol)
        var reading = Reading(
            answering: tick, anyQuote(price, at: at), from: "binance", after: [anyFailure()])
        reading.error = error
        return reading.line
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `every invariant holds while the server misbehaves and programs are killed`() {
        let words = ["--ticks", "400", "--interval", "20ms", "--slack", "3s", "--seed", "3"]
        let result = RunningProgram("soak", words).result(within: .seconds(60))
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("400 of 400") && result.output.contains("every invariant held"))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `every invariant holds with 25 symbols that share requests`() {
        let words = [
            "--symbols", "25", "--ticks", "20", "--interval", "200ms", "--slack", "3s", "--seed", "3",
        ]
        let result = RunningProgram("soak", words).result(within: .seconds(60))
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("500 of 500") && result.output.contains("every invariant held"))
    }

    @Test(.enabled(if: isLinux && PushServer.isPossible, "needs /proc and openssl"), .fault(47))
    func `memory stays as it is while a push feed sends at full rate`() {
        let result = RunningProgram("soak", ["--messages", "20000"]).result(within: .seconds(60))
        #expect(result.status == 0, "\(result.output)")
        #expect(result.output.contains("20000 messages") && result.output.contains("every invariant held"))
    }

    @Test func `the same seed brings the same faults, and another seed brings others`() {
        let schedules = [1, 1, 2].map { Schedule(seed: $0, ticks: 5000) }
        #expect(schedules[0].kills == schedules[1].kills && schedules[0].kills != schedules[2].kills)
        let weather = schedules.map { schedule in (0..<5000).map { schedule.weather(of: 0, at: $0) } }
        #expect(weather[0] == weather[1] && weather[0] != weather[2])
    }

    @Test func `good readings break nothing`() {
        var sut = makeSUT()
        let price = givenPrice()
        sut.check(reading: line(price, tick: 0), at: now)
        sut.check(reading: line(price, tick: 1, error: true), at: now)
        sut.check(text: Array("Nov 21, 14:03 - $60,000.00".utf8))
        #expect(sut.broken == [])
        #expect(sut.counts.quotes == 1 && sut.counts.banners == 1 && sut.unshown == 1)
    }

    @Test func `a tick that is missing breaks I1`() {
        var sut = makeSUT()
        sut.check(reading: line(givenPrice(), tick: 1), at: now)
        #expect(sut.broken.first?.hasPrefix("I1") == true)
    }

    @Test func `a line after its budget breaks I2, unless the machine was as late`() {
        for (delay, machineDelay, isLate) in [(900, 0, false), (1010, 0, true), (1400, 200, false)] {
            var sut = makeSUT(machineDelay: .milliseconds(machineDelay))
            sut.check(reading: line(givenPrice(), tick: 0), at: now)
            sut.check(reading: line(givenPrice(), tick: 1), at: now + .milliseconds(delay))
            #expect((sut.broken.first?.hasPrefix("I2") == true) == isLate)
        }
    }

    @Test
    func
        `what was due while a pipeline started is due with its first line, which breaks I2 if it does not come`()
    {
        for (start, isLate) in [(3, false), (6, true)] {
            var sut = makeSUT()
            let now = Timestamp.now()
            for tick in 0...1 {
                sut.check(reading: line(givenPrice(), tick: tick, at: now), at: now + .seconds(start))
            }
            #expect((sut.broken.first?.hasPrefix("I2") == true) == isLate)
        }
    }

    @Test func `an invented, repeated, old or wrongly shown price breaks I3`() {
        var (invented, repeated, old, shown) = (makeSUT(), makeSUT(), makeSUT(), makeSUT())
        let price = givenPrice()
        invented.check(reading: line("1.00", tick: 0), at: now)
        for tick in 0...1 { repeated.check(reading: line(price, tick: tick), at: now) }
        old.check(reading: line(price, tick: 0, at: .now() + .seconds(1)), at: now)
        shown.check(reading: line(price, tick: 0), at: now)
        shown.check(text: Array("Nov 21, 14:03 - $60,000.01".utf8))
        for sut in [invented, repeated, old, shown] { #expect(sut.broken.first?.hasPrefix("I3") == true) }
    }

    @Test func `a price of another symbol breaks I3, and a tick that one symbol lacks breaks I1`() {
        let weathervane = Self.weathervane(symbols: 2)
        _ = weathervane.answer("/binance")
        let (other, price) = (weathervane.symbols[1], "60000.00")
        var (good, swapped, missing) = (makeSUT(weathervane), makeSUT(weathervane), makeSUT(weathervane))
        good.check(reading: line(price, tick: 0), at: now)
        #expect(good.broken == [] && good.answered == 0)
        swapped.check(reading: line(price, tick: 0, symbol: other), at: now)
        #expect(swapped.broken.first == "I3: 60000.00 is of BTC-USD")
        missing.check(reading: line(price, tick: 1, symbol: other), at: now)
        #expect(missing.broken.first == "I1: tick 1 instead of 0")
    }

    @Test func `a control character breaks I7`() {
        var sut = makeSUT()
        sut.check(text: [0x1B])
        #expect(sut.broken.first?.hasPrefix("I7") == true)
    }
}
