import Foundation
import PipeCommon
import Testing

@testable import TestSupport
@testable import price_fetch

/// The sample messages of an exchange, and the checks that use them. Each exchange has a file in `Samples`
/// with one sample per line. A line begins with a word for the kind of sample. Comments in the file state
/// where samples come from, such as the exchange's documentation or recordings by other people.
///
/// | word | value |
/// |---|---|
/// | `url` | the URL for the price of BTC-USD |
/// | `markets` | the exchange's names for BTC-USD and ETH-EUR; absent if the exchange uses none |
/// | `answer`, `price` | an answer for BTC-USD, and the price in it |
/// | `names` | regular expressions for the strings (in double quotes) that name the market in `answer` |
/// | `other` | an answer with status 200 but no price of BTC-USD: for another market or in another format |
/// | `refusal` | the status of a refusal, the kind of failure that it causes, and its body |
/// | `candles` | the longest supported candle length, and the end of the URL for three candles from 2026-11-20 on |
/// | `history` | an answer with candles |
/// | `candle` | a candle in `history`: its length, beginning (in ms), open, high, low, close and volume |
/// | `row`, `page` | templates with placeholders such as `<close>`: a candle's row, and an answer with rows |
/// | `subscribe` | the subscription to BTC-USD, or to BTC-USD and ETH-EUR if one message can contain both |
/// | `limits` | markets per message (99: no limit); price age, heartbeat interval and connection age in ms (0: none) |
/// | `message` | the meaning and the text of a feed message; the first message accepts the subscription |
/// | `push` | the template of a message for BTC-USD, with placeholders for the price and its time |
/// | `unreadable` | a message whose price must not be used |
struct ExchangeSample: CustomTestStringConvertible, Sendable {
    let source: PriceSource
    private let lines: [(word: String, value: String)]
    var testDescription: String { source.name }

    static let all = PriceSource.all.map(ExchangeSample.init)

    private init(_ source: PriceSource) {
        let folder = Programs.project.appending(path: "Tests/EndToEndTests/Exchanges/Samples")
        let text = try? String(contentsOf: folder.appending(path: source.name), encoding: .utf8)
        lines = (text ?? "").matches(of: /(?m)^(\w+) (.+)$/).map { (String($0.1), String($0.2)) }
        self.source = source
    }

    private func values(_ word: String) -> [String] { lines.filter { $0.word == word }.map(\.value) }

    private func value(_ word: String) throws -> String {
        try #require(values(word).first, "\(source.name) \(word)")
    }

    /// The first `count - 1` words of a value, and the rest of the value.
    private static func parts(_ value: String, _ count: Int) -> [String] {
        value.split(separator: " ", maxSplits: count - 1).map(String.init)
    }

    private var market: Market { try! source.market(of: .bitcoin) }

    // MARK: Prices

    func checkPrices() throws {
        let url = try source.plan(for: [market]).request.get().url.text
        #expect(try url == value("url"))
        let names = try source.market.map { _ in
            "\(market.name) \(try source.market(of: Symbol("ETH-EUR")!).name)"
        }
        #expect(names == values("markets").first)
        let (answer, price) = try (value("answer"), value("price"))
        #expect(try self.price(in: Array(answer.utf8))?.text == price)
        for body in values("other").map({ Array($0.utf8) }) + Self.malformed(answer) {
            #expect(throws: FetchError.self, "\(String(decoding: body, as: UTF8.self))") {
                try self.price(in: body)
            }
        }
        #expect(!values("other").isEmpty && !values("refusal").isEmpty)
        for refusal in values("refusal") {
            let parts = Self.parts(refusal, 3)
            #expect(kind(of: parts[2], status: Int(parts[0])!)?.rawValue == parts[1], "\(refusal)")
        }
        let server = StubServer(.ok(try self.answer(at: .now())))
        let result = fetch(["--once", "--base", server.url("")])
        let quote = try result.readings().first?.quote
        #expect(quote?.price.text == price && quote?.market?.text == names.map { _ in market.name })
        #expect(result.status == 0 && result.errors == "" && server.requests.count == 1)
        #expect(server.requests.first.map { url.hasSuffix($0.path) } == true)
    }

    /// Checks that a price is accepted only if its time is recent and in the source's declared unit.
    func checkTimes() throws {
        let time = try #require(source.time)
        let (answer, text) = try (value("answer"), text(at: time))
        for wrong in [text + "000", String(text.dropLast(3)), "-\(text)", "\(text).5", "soon", "null"] {
            #expect(kind(of: answer.replacing(text, with: wrong)) == .invalidData, "\(wrong)")
        }
        let body = answer.replacing("\"\(text)\"", with: "null").replacing(text, with: "null")
        #expect(kind(of: body) == .invalidData)
        #expect(kind(of: answer, after: source.oldest) == nil)
        #expect(kind(of: answer, after: source.oldest + .seconds(1)) == .invalidData)
    }

    /// Checks that any price read from a damaged answer occurs in that answer, together with the names of the
    /// market.
    func checkDamagedAnswers() throws {
        let answer = try Array(value("answer").utf8)
        let names = values("names").flatMap { $0.split(separator: " ") }
        var random = SeededRandom(2026)
        var taken = 0
        for _ in 0..<FullSize.count(short: 1000, full: 12_500) {
            let body = random.mutation(of: answer)
            guard let price = try? price(in: body) else { continue }
            taken += 1
            let text = String(decoding: body, as: UTF8.self)
            let isPrice =
                price.text.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,12})?/) != nil && Double(price.text)! > 0
            let isNamed = names.allSatisfy { (try? Regex("\"\($0)\"")).map(text.contains) == true }
            #expect(isPrice && isNamed && text.contains(price.text), "\(price.text) from \(text)")
        }
        #expect(taken > 0)
    }

    /// The kind of failure that an answer causes if it arrives `age` after the sample's time; nil if the
    /// answer yields the sample's price.
    private func kind(of body: String, status: Int = 200, after age: Duration = .zero) -> Failure.Kind? {
        do throws(FetchError) {
            let price = try price(in: Array(body.utf8), status: status, after: age)?.text
            #expect(price == values("price").first)
            return nil
        } catch {
            return error.kind
        }
    }

    private func price(in body: [UInt8], status: Int = 200, after age: Duration = .zero)
        throws(FetchError) -> Price?
    {
        let made = source.time.flatMap { try? $0.time(in: JSON(parsing: value("answer").utf8)) } ?? anyTime()
        let response = HTTPResponse(status: status, body: body)
        return try source.prices(of: [market], in: response, at: made + age)[market]
    }

    private func text(at time: TimeField) throws -> String {
        let value = try time.place.value(in: JSON(parsing: value("answer").utf8))
        return try #require(value?.string ?? value?.number)
    }

    /// The sample's answer, with the given time in place of the time in the sample.
    private func answer(at time: Timestamp) throws -> String {
        guard let field = source.time else { return try value("answer") }
        let now =
            switch field.form {
            case .seconds: "\(time.milliseconds / 1000)"
            case .milliseconds: "\(time.milliseconds)"
            case .microseconds: "\(time.milliseconds)000"
            case .nanoseconds: "\(time.milliseconds)000000"
            case .rfc3339: time.text
            }
        return try value("answer").replacing(text(at: field), with: now)
    }

    private static func malformed(_ good: String) -> [[UInt8]] {
        let cut = String(good.dropLast())
        let first = good.prefix { $0 != ":" }.dropFirst()
        let nested = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let texts = [
            "", " \n", "null", "[]", "{}", "\u{0}", "68901.23", "<!DOCTYPE html><html>Sorry</html>", cut,
            String(good.prefix(good.count / 2)), "\(good)}", "\(good)\(good)", "\(good)\u{0}",
            "\u{FEFF}\(good)", "[\(good)]", "{\(first):1,\(good.dropFirst())", "\(cut),}",
            "\(cut),\"deep\":\(nested)}", String(repeating: "[", count: 513),
            good.replacing("\"", with: "'"), "\(cut),\"x\":\"\t\"}",
            #"{"Response":"Error","Message":"An internal error"}"#, #"{"error":["EGeneral:Internal error"]}"#,
            #"{"code":-1121,"msg":"Invalid symbol."}"#,
        ]
        let notUTF8: [UInt8] = Array("\(cut),\"x\":\"".utf8) + [0xC3] + Array("\"}".utf8)
        let noise: [[UInt8]] = [[0xFF, 0xFE, 0x7B, 0x00], notUTF8, [0x1F, 0x8B, 0x08, 0x00, 0x00]]
        return texts.map { Array($0.utf8) } + noise
    }

    // MARK: Candles

    func checkCandles() throws {
        let candles = try #require(source.candles)
        let request = try Self.parts(value("candles"), 2)
        let longest = try #require(Candle(rawValue: request[0]))
        let first = Timestamp("2026-11-20T00:00:00.000Z")!
        let span = CandleSpan(candle: longest, first: first, count: 3, isCut: false)
        let lengths = Candle.allCases.filter { $0.length <= longest.length }
        let url = try source.plan(for: span, of: market, from: candles).request.get().url.text
        #expect(url.hasSuffix(request[1]), "\(url)")
        #expect(
            lengths.count
                == Set(lengths.map { candles.url(market, candles.span($0, from: first, at: first)) }).count)
        #expect((candles.refusal(of: .day, from: first, at: first) == nil) == (longest == .day))
        let sample = try Self.parts(value("candle"), 3)
        let page = try CandlePage(
            JSON(parsing: value("history").utf8), of: market, #require(Candle(rawValue: sample[0])),
            from: candles, received: anyTime())
        let candle = try page.candle(of: Timestamp(milliseconds: #require(Int(sample[1]))))
        let range = [candle.range.open?.text, candle.range.high?.text, candle.range.low?.text]
        let values = range + [candle.close.text, candle.range.volume?.text]
        #expect(values == sample[2].split(separator: " ").map(String.init))
        for other in ["{}", "[7]", "null", try value("answer")] {
            #expect(throws: InvalidInput.self, "\(other)") {
                try CandlePage(
                    JSON(parsing: other.utf8), of: market, longest, from: candles, received: anyTime())
            }
        }
        try checkBurst(longest, newestFirst: true)
        try checkBurst(longest, newestFirst: false)
    }

    /// Expects that `price-fetch` sends only one HTTP request to answer ticks for the open candle and for the
    /// last 31 closed candles, and that each tick gets the price of its own candle.
    private func checkBurst(_ candle: Candle, newestFirst: Bool) throws {
        let (row, page, length) = try (value("row"), value("page"), candle.length)
        let open = candle.beginning(of: .now())
        let candles = (0..<40).map { (beginning: open + length * -$0, close: "\(1000 + $0).50") }
        let rows = candles.map { candle in
            let last = (candle.beginning + length).milliseconds - 1
            return Self.filled(row, candle.beginning)
                .replacing("<close>", with: candle.close).replacing("<last>", with: "\(last)")
        }
        let body = (newestFirst ? rows : rows.reversed()).joined(separator: ",")
        let server = StubServer(.ok(page.replacing("<rows>", with: body)))
        let ticks = (0..<32).map { Tick(number: $0, at: candles[$0].beginning, candle: candle) }
        let result = fetch(["--base", server.url("")], input: ticks.map { $0.text + "\n" }.joined())
        let quotes = try result.readings().sorted { $0.tick! < $1.tick! }.map(\.quote)
        #expect(quotes.map(\.?.price.text) == candles.prefix(32).map(\.close))
        #expect(quotes.dropFirst().map(\.?.timestamp) == candles.prefix(31).map(\.beginning))
        #expect(result.status == 0 && result.errors == "" && server.requests.count == 1)
    }

    /// The template of a message or row, with the given time in place of the placeholders for a time.
    private static func filled(_ text: String, _ time: Timestamp) -> String {
        text.replacing("<ms>", with: "\(time.milliseconds)").replacing("<time>", with: time.text)
            .replacing("<s>", with: "\(time.milliseconds / 1000)")
    }

    // MARK: Feed

    func checkFeed() throws {
        let push = try #require(source.push)
        let markets = try ["BTC-USD", "ETH-EUR"].map { push.name(try source.market(of: Symbol($0)!)) }
        let count = push.needsOwnMessages ? 1 : min(push.largestBatch, 99)
        let times = [push.oldestPrice, push.heartbeat?.interval, push.lifetime].map { $0?.milliseconds ?? 0 }
        #expect(try "\(count) \(times)" == value("limits"))
        #expect(try push.request(.subscribe, Array(markets.prefix(count))) == value("subscribe"))
        for sample in values("message") {
            let parts = try #require(sample.wholeMatch(of: /(\w+(?:\(.*?\))?) (.*)/))
            #expect(try meaning(of: String(parts.2)) == parts.1)
        }
        let now = Timestamp.now()
        let good = try pushed("68901.5", at: now)
        guard case .price(let price, markets[0], _, now) = try message(good) else {
            Issue.record("\(try message(good)) is not the price of \(markets[0])")
            return
        }
        #expect(price.text == "68901.5")
        for text in try values("unreadable") + [pushed("-1", at: now), pushed("0", at: now)] {
            guard case .unreadable = try message(text) else {
                Issue.record("readable: \(text)")
                continue
            }
        }
        let quote = try reading(from: good).quote
        #expect(quote?.price.text == "68901.5" && quote?.market?.text == markets[0])
        let old = try pushed("1.5", at: now + (.zero - push.oldestPrice) + .seconds(-1))
        #expect(try reading(from: old, within: "500ms").failures.map(\.kind) == [.timeout])
    }

    private func pushed(_ price: String, at time: Timestamp) throws -> String {
        try Self.filled(value("push"), time).replacing("<price>", with: price)
    }

    private func message(_ text: String) throws -> PushSource.Message {
        let push = try #require(source.push)
        if text == push.heartbeat?.answer { return .heartbeat }
        let message = try push.message(JSON(parsing: text.utf8))
        if case .several(let messages) = message, messages.count == 1 { return messages[0] }
        return message
    }

    /// The meaning of a message, in the notation of the sample file.
    private func meaning(of text: String) throws -> String {
        switch try message(text) {
        case .accepted(let market?): "accepted(\(market))"
        case .accepted(nil): "accepted"
        case .subscribed(let markets): "subscribed(\(markets.joined(separator: " ")))"
        case .ended(let market): "ended(\(market))"
        case .refused(let reason): "refused(\(reason ?? ""))"
        case let message: "\(message)"
        }
    }

    /// The reading that `price-fetch` prints if the feed sends the sample's first message and then `text`.
    private func reading(from text: String, within limit: String = "9s") throws -> Reading {
        let first = try #require(try value("message").split(separator: " ", maxSplits: 1).last)
        let frames = [String(first), text].flatMap { ServerSide.frame(1, $0.utf8) }
        let server = StubServer.upgrading(.call { usleep(200_000) }, .send(frames), .wait(.seconds(10)))
        let url = "ws://127.0.0.1:\(server.port)/"
        return try #require(fetch(["--once", "--push", "--url", url], within: limit).readings().first)
    }

    private func fetch(
        _ words: [String], within limit: String = "9s", input: String = ""
    ) -> RunningProgram.Result {
        RunningProgram.run("price-fetch", ["--timeout", limit] + words + [source.name], input: input)
    }
}
