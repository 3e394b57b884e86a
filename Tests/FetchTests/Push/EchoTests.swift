import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// Made-up prices that an untrusted echo server returns.
@Suite(.unit) struct EchoTests {
    private func makeSUT(connects: Bool = true) -> FeedTimeline<EchoFeed> {
        let sut = FeedTimeline(connects: connects) { connection, _, now in
            EchoFeed(connection: connection, seed: 1, now: now)
        }
        sut.step()
        return sut
    }

    @Test func `when the server echoes a tick's message, the tick is answered with a quote`() throws {
        let sut = makeSUT()
        sut.ask("AAPL")
        let message = try #require(sut.server.received.first)
        sut.say(message)
        let answer = try #require(sut.takeAnswers().first)
        #expect(answer.id == 1 && answer.reading.symbol?.text == "AAPL" && answer.reading.source == "echo")
        let price = try #require(answer.reading.quote?.price.text)
        #expect(message.hasPrefix(#"{"symbol":"AAPL","price":\#(price),"id":""#) && answer.reading.isMadeUp)
    }

    @Test func `ticks that arrive before the connection is open are sent as soon as it opens`() {
        let sut = makeSUT(connects: false)
        for symbol in ["AAPL", "NVDA"] { sut.ask(symbol) }
        sut.server.state = .open
        sut.step()
        #expect(sut.server.received.count == 2)
        sut.say(sut.server.received[1], sut.server.received[0])
        #expect(sut.takeAnswers().map(\.id) == [2, 1])
    }

    @Test(.fault(49)) func `foreign, changed, duplicate and late echoes are never used as quotes`() throws {
        let sut = makeSUT()
        sut.ask("AAPL")
        let message = try #require(sut.server.received.first)
        sut.say(message.replacing("AAPL", with: "NVDA"), message + " ", String(message.dropLast()))
        sut.say(#"{"symbol":"AAPL","price":187.12}"#, "", "request served by 1")
        #expect(sut.takeAnswers().isEmpty)
        sut.say(message, message)
        #expect(sut.takeAnswers().map(\.id) == [1])
        sut.ask("AAPL")
        _ = sut.feed.giveUp(2, Tick(number: 2), after: .seconds(1))
        sut.say(try #require(sut.server.received.last))
        #expect(sut.takeAnswers().isEmpty)
    }

    @Test func `ticks that cannot be sent before their deadline fail at once with the connection error`() {
        let sut = makeSUT(connects: false)
        sut.ask("AAPL")
        sut.server.state = .ended("refused")
        sut.step()
        let refused = Failure(source: "echo", kind: .network, message: "refused")
        #expect(sut.takeAnswers().map(\.reading.failures) == [[refused]])
        // The next attempt to connect begins a second after the first.
        sut.pass(.milliseconds(200))
        #expect(sut.ask("NVDA")?.failures == [refused])
        // A tick waits if the next attempt to connect begins before the tick's deadline.
        sut.pass(.milliseconds(1))
        #expect(sut.ask("NVDA") == nil)
    }

    @Test func `during a pause that the server requires, each failure includes the remaining time`() {
        let sut = makeSUT(connects: false)
        (sut.server.answer, sut.server.state) = ("HTTP/1.1 429 Slow down\r\nRetry-After: 20\r\n\r\n", .open)
        sut.step()
        sut.pass(.seconds(5))
        #expect(sut.ask("AAPL")?.failures.first?.retry == .seconds(15))
    }

    @Test func `a rejected connection is reported once, however many symbols are requested`() {
        let sut = makeSUT(connects: false)
        (sut.server.answer, sut.server.state) = ("HTTP/1.1 403 No\r\n\r\n", .open)
        sut.step()
        for symbol in ["AAPL", "NVDA"] { #expect(sut.ask(symbol)?.failures.first?.kind == .denied) }
        #expect(sut.warnings == ["echo: status 403: no upgrade to a WebSocket; pausing requests"])
    }

    @Test func `the random walks begin again when more than 10,000 symbols have been requested`() {
        let sut = makeSUT()
        for number in Array(1...10_000) + Array(1...10_001) + [10_000] { sut.ask("A\(number)") }
        let last = sut.server.received.filter { $0.contains("A10000") }.map { $0.split(separator: ",")[1] }
        #expect(last.count == 3 && last[0] != last[1] && last[0] == last[2])
    }

    @Test func `two ticks for one symbol are sent as different messages, so they cannot share an echo`() {
        let sut = makeSUT()
        for _ in 0..<2 { sut.ask("AAPL") }
        #expect(Set(sut.server.received).count == 2)
    }

    @Test func `the same seed produces the same prices, and different seeds produce different prices`() {
        func prices(_ seed: UInt64) -> [Price] {
            var walk = RandomWalk(of: Symbol("AAPL")!, seed: seed)
            return (0..<100).map { _ in walk.next() }
        }
        #expect(prices(7).prefix(3).map(\.text) == ["154.26", "154.09", "154.94"] && prices(7) != prices(8))
    }

    @Test func `each step changes a price by at most one percent or one cent, whichever is more`() throws {
        var walk = RandomWalk(of: Symbol("AAPL")!, seed: 3)
        var last = try #require(Double(walk.next().text))
        for _ in 0..<10_000 {
            let next = try #require(Double(walk.next().text))
            #expect(abs(next - last) <= max(last * 0.01, 0.01) + 1e-9)
            last = next
        }
    }

    @Test(arguments: [1, 50, 99, 100])
    func `a price of a dollar or less can still change`(cents: Int) {
        var walk = RandomWalk(from: cents, seed: 3)
        // With this seed, each walk reaches eleven different prices of the form 1.23 in 100 steps.
        let prices: [String] = (0..<100).map { _ in walk.next().text }
        #expect(Set(prices.filter { $0.count == 4 }).count == 11)
    }
}
