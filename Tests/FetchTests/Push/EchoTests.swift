import Foundation
import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// Made-up prices through an echo server that may say anything.
@Suite(.unit) struct EchoTests {
    private final class Bench {
        let start = Deadline.Instant.now
        private(set) var servers: [ServerStub] = []
        private(set) var feed: EchoFeed!
        private var nextID = 0
        private var answers: [Answer] = []

        init(seed: UInt64 = 1) {
            let connection = FeedConnection(
                "wss://echo.example", silenceLimit: .seconds(5),
                connect: { [unowned self] _ in
                    servers.append(ServerStub())
                    return servers.last!
                }, at: start, warn: { _ in })
            feed = EchoFeed(connection: connection, seed: seed)
        }

        var server: ServerStub { servers.last! }

        func connect() {
            step()
            server.state = .open
            step()
        }

        func step(after duration: Duration = .zero) {
            for _ in 0..<3 { answers += feed.advance([], at: start + duration) }
        }

        func ask(_ symbol: String) -> Int {
            nextID += 1
            feed.ask(
                nextID, Tick(number: nextID, symbol: Symbol(symbol)!), within: .seconds(1), at: start)
            step()
            return nextID
        }

        func hear(_ texts: String...) -> [Answer] {
            for text in texts { server.say(text) }
            answers = []
            step()
            return answers
        }
    }

    @Test func `the echo of a message is the quote of its tick`() throws {
        let bench = Bench()
        bench.connect()
        let id = bench.ask("AAPL")
        let message = try #require(bench.server.received.first)
        let answer = try #require(bench.hear(message).first)
        #expect(answer.id == id && answer.reading.symbol?.text == "AAPL" && answer.reading.source == "echo")
        let price = try #require(answer.reading.quote?.price.text)
        #expect(message.hasPrefix(#"{"symbol":"AAPL","price":\#(price),"id":""#))
    }

    @Test func `ticks that are read before the connection is open are sent when it is`() {
        let bench = Bench()
        _ = bench.ask("AAPL")
        _ = bench.ask("NVDA")
        bench.connect()
        #expect(bench.server.received.count == 2)
        #expect(bench.hear(bench.server.received[1], bench.server.received[0]).map(\.id) == [2, 1])
    }

    @Test(.fault(49)) func `another's text, a changed one, a double and a late one are never a quote`() throws
    {
        let bench = Bench()
        bench.connect()
        let first = bench.ask("AAPL")
        let message = try #require(bench.server.received.first)
        let others = [
            message.replacingOccurrences(of: "AAPL", with: "NVDA"), message + " ", String(message.dropLast()),
            #"{"symbol":"AAPL","price":187.12}"#, "", "request served by 1",
        ]
        for other in others { #expect(bench.hear(other).isEmpty) }
        #expect(bench.hear(message, message).map(\.id) == [first])
        let second = bench.ask("AAPL")
        let late = try #require(bench.server.received.last)
        _ = bench.feed.giveUp(second, Tick(number: second), after: .seconds(1))
        #expect(bench.hear(late).isEmpty)
    }

    @Test func `two ticks of one symbol never share an echo`() {
        let bench = Bench()
        bench.connect()
        _ = bench.ask("AAPL")
        _ = bench.ask("AAPL")
        #expect(Set(bench.server.received).count == 2)
    }

    @Test func `a seed repeats the prices, and another gives others`() {
        func prices(_ seed: UInt64) -> [Price] {
            var walk = RandomWalk(of: Symbol("AAPL")!, seed: seed)
            return (0..<100).map { _ in walk.next() }
        }
        #expect(prices(7) == prices(7) && prices(7) != prices(8))
    }

    @Test func `a price moves by one percent at most`() throws {
        var walk = RandomWalk(of: Symbol("AAPL")!, seed: 3)
        var last = try #require(Double(walk.next().text))
        for _ in 0..<10_000 {
            let next = try #require(Double(walk.next().text))
            #expect(abs(next - last) <= last * 0.01 + 0.01)
            last = next
        }
    }
}
