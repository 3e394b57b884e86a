import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Ticks of one beat that are read together can share a request; an unknown symbol does not affect the other symbols.
@Suite(.unit) struct SharedRequestTests {
    private static let start = Deadline.Instant.now

    /// A simulated Binance with the given markets, whose prices are 1.5, 2.5 and so on.
    ///
    /// - Parameter left: the markets whose names contain this text are missing from shared answers.
    private func exchange(
        _ known: [String] = ["BTCUSDT", "ETHUSDT"], leavingOut left: String = "-"
    ) -> HTTPClientStub {
        HTTPClientStub { request in
            let markets = Self.markets(request)
            guard Set(markets).isSubset(of: known) else {
                return .answer(#"{"code":-1121,"msg":"Invalid symbol."}"#, status: 400)
            }
            let tickers = markets.map {
                #"{"symbol":"\#($0)","price":"\#(known.firstIndex(of: $0)! + 1).5"}"#
            }
            if !Self.isShared(request) { return .answer(tickers[0]) }
            return .answer("[\(tickers.filter { !$0.contains(left) }.reversed().joined(separator: ","))]")
        }
    }

    private static func isShared(_ request: HTTPRequest) -> Bool { request.url.text.contains("symbols=") }

    /// The markets in a request.
    private static func markets(_ request: HTTPRequest) -> [String] {
        let list = request.url.text.split { "=&".contains($0) }[1]
        return list.replacing("%5B", with: "").replacing("%5D", with: "").replacing("%22", with: "")
            .split(separator: ",").map(String.init)
    }

    /// Simulates one beat with a tick for each symbol.
    ///
    /// - Returns: the price of each symbol or the kind of its failure; a symbol whose tick is not answered is left out.
    private func beat(
        _ sut: HTTPFeed, _ symbols: [String], number: Int = 1, after time: Duration = .zero,
        reports: Reports? = nil
    ) -> [String: String] {
        let now = Self.start + time
        for (id, symbol) in symbols.enumerated() {
            sut.ask(number * 1000 + id, anyTick(number, symbol: symbol), at: now)
        }
        var texts: [String: String] = [:]
        // Ticks may be gathered for 10 ms before a request is sent.
        for moment in [now, now + .milliseconds(10)] {
            for answer in sut.advance([], at: moment) {
                let symbol = symbols[answer.id - number * 1000]
                switch answer.quote {
                case .success(let quote): texts[symbol] = quote.price.text
                case .failure(let error):
                    texts[symbol] = "\(error.kind)"
                    reports?.report(error, of: Subject(Symbol(symbol)!), from: sut.name, at: now)
                }
            }
        }
        return texts
    }

    @Test func `ticks that are read together share a request, and each gets its own price`() {
        let client = exchange()
        let readings = beat(HTTPFeed(.binance, client), ["ETH-USD", "BTC-USD"])
        #expect(readings == ["BTC-USD": "1.5", "ETH-USD": "2.5"])
        #expect(client.requests.map(Self.markets) == [["ETHUSDT", "BTCUSDT"]])
    }

    @Test func `two ticks for one symbol cause one request, with the URL for a single symbol`() throws {
        let client = exchange()
        let sut = HTTPFeed(.binance, client)
        for id in 0..<2 { sut.ask(id, anyTick()) }
        #expect(sut.advance([], at: .now).map(\.price) == ["1.5", "1.5"])
        #expect(try client.requests.map(\.url) == [PriceSource.binance.request(.bitcoin).url])
    }

    @Test func `ticks of different beats do not share a request`() {
        let client = HTTPClientStub(nil)
        let sut = HTTPFeed(.binance, client)
        for (id, symbol) in ["BTC-USD", "ETH-USD"].enumerated() { sut.ask(id, anyTick(id, symbol: symbol)) }
        _ = sut.advance([], at: .now)
        #expect(client.requests.count == 2 && !client.requests.contains(where: Self.isShared))
    }

    @Test(.fault(66), arguments: [(3, 3), (8, 1), (100, 1)])
    func `for eight or more symbols, one request returns all of OKX's prices`(symbols: Int, requests: Int) {
        let client = HTTPClientStub { request in
            let ticker = { (number: Int) in
                #"{"instId":"A\#(number)-USD","last":"\#(number).5","ts":"\#(anyTime().milliseconds)"}"#
            }
            let name = request.url.text.split(separator: "=").last!
            let list = name == "SPOT" ? (1...120).map(ticker) : [ticker(Int(name.dropFirst().dropLast(4))!)]
            return .answer(#"{"code":"0","msg":"","data":[\#(list.joined(separator: ","))]}"#)
        }
        let readings = beat(HTTPFeed(.okx, client), (1...symbols).map { "A\($0)-USD" })
        #expect(readings.count == symbols && readings.allSatisfy { "A\($1.dropLast(2))-USD" == $0 })
        #expect(client.requests.count == requests)
    }

    @Test(.fault(66)) func `a request for several symbols counts as two requests toward Binance's limit`() {
        let client = exchange()
        let sut = HTTPFeed(.binance, client)
        for number in 0..<60 { _ = beat(sut, ["BTC-USD", "ETH-USD"], number: number) }
        #expect(client.requests.count == 50)
    }

    @Test(.fault(66)) func `symbols that will share the next request wait for it instead of failing`() {
        let sut = HTTPFeed(.kraken, HTTPClientStub(nil))
        _ = beat(sut, ["BTC-USD", "ETH-USD"])
        // The next request is allowed a second after the first, which leaves the ticks just enough time for an answer.
        #expect(beat(sut, ["BTC-USD", "ETH-USD"], number: 2, after: .milliseconds(350)) == [:])
        #expect(sut.nextDeadline == Deadline(Self.start + .seconds(1)))
    }

    @Test func `an unknown symbol does not affect the other symbols that share its request`() {
        let client = exchange()
        let sut = HTTPFeed(.binance, client)
        let symbols = ["BTC-USD", "NO-USD", "ETH-USD"]
        let expected = ["BTC-USD": "1.5", "NO-USD": "unsupported", "ETH-USD": "2.5"]
        #expect(beat(sut, symbols) == expected)
        #expect(client.requests.map { Self.markets($0).count } == [3, 1, 1, 1])
        // Then the other symbols share a request
        for number in 2...3 { #expect(beat(sut, symbols, number: number, after: .seconds(59)) == expected) }
        let others: Set = ["BTCUSDT", "ETHUSDT"]
        #expect(client.requests.dropFirst(4).map { Set(Self.markets($0)) } == [others, others])
        // After a minute, the unknown symbol is requested again, in a request of its own
        #expect(beat(sut, symbols, number: 4, after: .seconds(60)) == expected)
        #expect(Set(client.requests.dropFirst(6).map { Set(Self.markets($0)) }) == [["NOUSDT"], others])
    }

    @Test func `a pair that is unknown to Kraken does not affect the other pairs`() {
        let client = HTTPClientStub { request in
            let pairs = request.url.text.split(separator: "=").last!.split(separator: ",")
            if pairs.contains("NOUSD") { return .answer(#"{"error":["EQuery:Unknown asset pair"]}"#) }
            let tickers = pairs.map { #""\#($0)":{"c":["1.5","1"]}"# }
            return .answer(#"{"error":[],"result":{\#(tickers.joined(separator: ","))}}"#)
        }
        // Kraken allows one request per second, so the symbols are tried one at a time.
        let sut = HTTPFeed(.kraken, client)
        var readings: [String: String] = [:]
        for number in 1...6 {
            let symbols = ["BTC-USD", "NO-USD", "ETH-USD"]
            let answers = beat(sut, symbols, number: number, after: .seconds(number))
            readings.merge(answers.filter { $0.value != "rateLimited" }) { $1 }
            #expect(client.requests.count <= number)
        }
        #expect(readings == ["BTC-USD": "1.5", "NO-USD": "unsupported", "ETH-USD": "1.5"])
    }

    @Test func `a symbol that is missing from a shared answer is requested alone`() {
        let client = exchange(["BTCUSDT", "ETHUSDT", "ETCUSDT"], leavingOut: "ET")
        let sut = HTTPFeed(.binance, client)
        for number in 1...2 {
            let readings = beat(sut, ["BTC-USD", "ETH-USD", "ETC-USD"], number: number)
            #expect(readings == ["BTC-USD": "1.5", "ETH-USD": "2.5", "ETC-USD": "3.5"])
        }
        #expect(client.requests.map { Self.markets($0).count } == [3, 1, 1, 3, 1, 1])
    }

    @Test(
        .fault(13, 14),
        arguments: [(429, "rateLimited"), (403, "denied"), (451, "denied"), (500, "invalidData")])
    func `if the whole source fails, all ticks fail after one request`(status: Int, kind: String) {
        let client = HTTPClientStub(status: status, "")
        let sut = HTTPFeed(.binance, client)
        #expect(beat(sut, ["BTC-USD", "ETH-USD"]) == ["BTC-USD": kind, "ETH-USD": kind])
        #expect(client.requests.count == 1 && beat(sut, ["SOL-USD"], number: 2) == ["SOL-USD": kind])
        // After a 429, 403 or 451, no other symbol is requested; after a 500, other symbols still are.
        #expect(client.requests.count == (status == 500 ? 2 : 1))
    }

    @Test(.fault(73), arguments: [(1799, nil), (1800, .timeout)] as [(Int, Failure.Kind?)])
    func `an answer is not used if it is read a second or more after the time limit`(
        milliseconds: Int, kind: Failure.Kind?
    ) {
        let (client, start) = (exchange(), Deadline.Instant.now)
        client.isHolding = true
        let sut = HTTPFeed(.binance, client)
        sut.ask(1, anyTick(), at: start)
        #expect(sut.advance([], at: start).isEmpty)
        client.isHolding = false
        let answers = sut.advance([], at: start + .milliseconds(milliseconds))
        let readings = answers.map { Reading(answering: anyTick(), $0, of: sut) }
        #expect(readings.map { $0.failures.first?.kind } == [kind])
    }

    @Test func `each tick keeps its own deadline, and the request is canceled at the last deadline`() {
        let client = HTTPClientStub(nil)
        let sut = HTTPFeed(.binance, client)
        for (id, symbol) in ["BTC-USD", "ETH-USD"].enumerated() {
            sut.ask(id, anyTick(symbol: symbol), within: .milliseconds(100 + id * 100), at: .now)
        }
        _ = sut.advance([], at: .now)
        let first = sut.giveUp(0, anyTick(), after: .milliseconds(100))
        #expect(first.failures.map(\.message) == ["no answer within 100 ms"] && client.givenUp == [])
        _ = sut.giveUp(1, anyTick(symbol: "ETH-USD"), after: .milliseconds(200))
        #expect(client.givenUp.count == 1)
    }

    @Test(arguments: [400, 404])
    func `if a shared request gets a 400 or 404, each symbol is immediately requested alone`(status: Int) {
        let client = HTTPClientStub { request in
            Self.isShared(request)
                ? .answer(#"{"code":-1102,"msg":"Mandatory parameter was not sent"}"#, status: status)
                : .answer(#"{"symbol":"\#(Self.markets(request)[0])","price":"1.5"}"#)
        }
        let sut = HTTPFeed(.binance, client)
        for number in 1...2 {
            let readings = beat(sut, ["BTC-USD", "ETH-USD"], number: number)
            #expect(readings == ["BTC-USD": "1.5", "ETH-USD": "1.5"])
        }
        #expect(client.requests.map(Self.isShared) == [true, false, false, true, false, false])
    }

    @Test(.fault(55)) func `a closed market counts as unsupported and is requested alone once a minute`() {
        // Given Binance, which omits a closed market from the answer to a shared request and rejects every
        // request that contains only that market
        let client = HTTPClientStub { request in
            let isOpen = { (market: String) in market != "BTCGBP" }
            let tickers = Self.markets(request).filter(isOpen).map { #"{"symbol":"\#($0)","price":"1.5"}"# }
            if Self.isShared(request) { return .answer("[\(tickers.joined(separator: ","))]") }
            return tickers.first.map { .answer($0) } ?? .answer(ExchangePayload.closedMarket, status: 400)
        }
        var warnings: [String] = []
        let reports = Reports { warnings.append($0) }
        let sut = HTTPFeed(.binance, client)
        let symbols = ["BTC-USD", "BTC-GBP", "ETH-USD"]
        // When four beats request the closed market and two open markets
        for (number, seconds) in [(1, 0), (2, 1), (3, 59), (4, 60)] {
            let readings = beat(sut, symbols, number: number, after: .seconds(seconds), reports: reports)
            #expect(readings == ["BTC-USD": "1.5", "BTC-GBP": "unsupported", "ETH-USD": "1.5"])
        }
        // Then the closed market is requested alone only in the first beat and a minute later
        #expect(client.requests.map { Self.markets($0).count }.sorted() == [1, 1, 2, 2, 2, 3])
        #expect(client.requests.allSatisfy { $0.url.text.hasSuffix("&symbolStatus=TRADING") })
        let reason = "status 400: The symbol's status does not match the requested symbolStatus."
        #expect(warnings == ["binance: BTC-GBP is not supported: \(reason)"])
    }

    @Test func `a request to Binance names at most 50 symbols`() {
        let client = exchange((0..<120).map { "S\($0)USDT" })
        let readings = beat(HTTPFeed(.binance, client), (0..<120).map { "S\($0)-USD" })
        #expect(readings.count == 120 && readings["S7-USD"] == "8.5" && readings["S119-USD"] == "120.5")
        #expect(client.requests.map { Self.markets($0).count } == [50, 50, 20])
    }
}
