import Foundation
import PipeCommon
import TestSupport
import Testing

@testable import price_fetch

/// What the network and the sources do to `price-fetch`, tried on the built programs.
@Suite struct FetchFaultTests {
    private let marked = MarkedProcesses()
    private let good = #"{"symbol":"BTCUSDT","price":"68901.23"}"#
    private let rescue = ShellSource.quoting("68890.00", as: "fallback")
    private let folder = TemporaryFolder()

    private static let hasOpenSSL = Programs.has("openssl")
    private static let hasCompression = isLinux && Programs.has("gzip")
    private static let canTrust = Programs.canMount && hasOpenSSL
    private static let canTrustHTTP2 = canTrust && Programs.has("nghttpd")
    private static let canNameServers = Programs.canMount && StubNameServer() != nil

    private func fallback(_ url: String, _ words: String...) -> [String] {
        ["price-fallback", "--budget", "5s", "--trip", "0"] + words + [
            "price-fetch binance --url \(url)", rescue,
        ]
    }

    private func start(_ words: [String]) -> RunningProgram {
        RunningProgram(words[0], Array(words.dropFirst()), environment: marked.environment)
    }

    /// With a file over a file of the machine, seen by this program alone.
    private func start(_ words: [String], with file: String, over place: String) -> RunningProgram {
        let script = #"mount --bind "$0" "$1" && shift && exec "$@""#
        return start(["unshare", "-rm", "bash", "-c", script, file, place] + words)
    }

    private func startTrusting(_ words: [String]) -> RunningProgram {
        start(words, with: Certificates.shared.authority, over: "/etc/ssl/certs/ca-certificates.crt")
    }

    private func answer(_ running: RunningProgram, _ tick: Int = 0) throws -> Reading {
        running.write(#"{"tick":\#(tick)}"# + "\n")
        return try Reading(line: try #require(running.readLine()).utf8)
    }

    /// The one failure of a reading without a quote.
    private func failure(_ running: RunningProgram, _ tick: Int = 0) throws -> Failure? {
        let reading = try answer(running, tick)
        #expect(reading.quote == nil && reading.failures.count == 1)
        return reading.failures.first
    }

    private func isBack(_ running: RunningProgram, after tick: Int) throws -> Bool {
        try (tick + 1...tick + 30).contains { tick in
            if try answer(running, tick).source == "binance" { return true }
            return running.waitUntil(within: .milliseconds(300)) { false }
        }
    }

    // MARK: 6

    private func fallsSilentAndRecovers(_ proxy: SilentProxy, _ running: RunningProgram) throws {
        #expect(try answer(running, 0).source == "binance")
        let used = proxy.accepted
        // When
        proxy.fallSilent()
        // Then
        for tick in 1...3 {
            let reading = try answer(running, tick)
            #expect(reading.source == "fallback" && reading.failures.map(\.kind) == [.timeout])
        }
        // When
        proxy.recover()
        // Then
        let answers = try (4...5).map { try answer(running, $0) }
        #expect(answers.contains { $0.source == "binance" }, "\(answers.map(\.text)) \(running.errors)")
        #expect(proxy.accepted > used)
        #expect(running.finish().status == 0)
    }

    @Test func `6: a half-open connection is rescued each tick, and replaced when the network is back`()
        throws
    {
        let server = StubServer(.ok(good))
        let proxy = SilentProxy(to: server.port)
        let url = "http://127.0.0.1:\(proxy.port)/price.json"
        try fallsSilentAndRecovers(proxy, start(fallback(url, "--timeout", "500ms")))
        #expect(server.requests.first?.connection == 1 && server.requests.last?.connection != 1)
    }

    @Test(.enabled(if: canTrustHTTP2, "needs unshare, openssl and nghttpd"))
    func `6: so is one that requests share, over HTTP/2`() throws {
        let (server, port) = serveHTTP2()
        let proxy = SilentProxy(to: port)
        let url = "https://localhost:\(proxy.port)/price.json"
        try fallsSilentAndRecovers(proxy, startTrusting(fallback("\(url) --timeout 2s", "--timeout", "2s")))
        server.signal(SIGTERM)
    }

    @Test(.enabled(if: canTrustHTTP2, "needs unshare, openssl and nghttpd"))
    func `6: also while the next tick comes before the last one has its answer`() throws {
        let (server, port) = serveHTTP2()
        let proxy = SilentProxy(to: port)
        let url = "https://localhost:\(proxy.port)/price.json"
        let running = startTrusting(fallback(url, "--timeout", "800ms"))
        #expect(try answer(running, 0).source == "binance")
        // When
        proxy.fallSilent()
        for tick in 1...60 {
            if tick == 10 { proxy.recover() }
            running.write("{\"tick\":\(tick)}\n")
            running.waitUntil(within: .milliseconds(200)) { false }
        }
        // Then
        let readings = try running.finish().lines.map { try Reading(line: $0.utf8) }
        #expect(readings.count == 61 && readings.suffix(10).contains { $0.source == "binance" })
        server.signal(SIGTERM)
    }

    private func serveHTTP2() -> (RunningProgram, port: UInt16) {
        folder.write("price.json", good)
        let port = Loopback.freePort()
        let named = "\(Certificates.shared.folder.path)/good"
        let words = ["-a", "127.0.0.1", "-d", folder.path, "\(port)", "\(named).key", "\(named).pem"]
        let server = RunningProgram("nghttpd", words)
        #expect(server.waitUntil(within: .seconds(10)) { Loopback.isListening(port) })
        return (server, port)
    }

    // MARK: 7

    @Test(arguments: [
        StubServer.Answer.dripHeader(#"{"symbol":"BTCUSDT","price":"68901.23"}"#, every: .milliseconds(100)),
        .drip(#"{"symbol":"BTCUSDT","price":"68901.23"}"#, every: .milliseconds(100)),
    ])
    func `7: an answer that drips, header or body, ends at the deadline`(answer: StubServer.Answer) throws {
        let server = StubServer(answer)
        let running = start(["price-fetch", "--timeout", "500ms", "--url", server.url(), "binance"])
        let start = ContinuousClock.now
        #expect(try failure(running)?.kind == .timeout)
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(500) && time < .milliseconds(2500))
        #expect(running.finish().status == 0 && server.requests.count == 1)
    }

    // MARK: 8

    private func survives(_ hostile: StubServer.Answer) throws {
        let server = StubServer(hostile)
        let running = start(fallback(server.url(), "--timeout", "800ms"))
        for tick in 0..<5 {
            let reading = try answer(running, tick)
            #expect(reading.source == "fallback" && reading.failures.count == 1)
            for (process, command) in marked.living where command.hasPrefix("price-fetch") {
                #expect(marked.peakMemory(of: process) <= 40 << 20)
            }
        }
        #expect(!server.requests.isEmpty)
        server.answer(with: .ok(good))
        #expect(try isBack(running, after: 5))
    }

    @Test(
        .enabled(if: isLinux, "needs /proc"),
        arguments: [
            StubServer.Answer.endless(
                "HTTP/1.1 200 OK\r\n", "X-Padding: \(String(repeating: "x", count: 99))\r\n"),
            .endless("HTTP/1.1 200 OK\r\nX-Padding: ", "x"),
        ])
    func `8: a header without end is rescued each tick, in bounded memory, and it recovers`(
        hostile: StubServer.Answer
    ) throws {
        try survives(hostile)
    }

    @Test(.enabled(if: hasCompression, "needs /proc and gzip"))
    func `8: a compressed body is not unpacked, in bounded memory`() throws {
        let folder = TemporaryFolder()
        let size = FullSize.count(short: 200, full: 1000)
        let command = "head -c \(size)M /dev/zero | nice gzip > \(folder.path)/bomb"
        #expect(RunningProgram.shell(command).status == 0)
        let bomb = try #require(FileManager.default.contents(atPath: "\(folder.path)/bomb"))
        try survives(.ok(Array(bomb), headers: ["Content-Encoding: gzip"]))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `8: so is a body without end`() throws {
        try survives(.endless)
        try survives(.endless("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"))
    }

    // MARK: 4

    @Test func `4: half a header and the end of the connection is a failure, and the next tick has a quote`()
        throws
    {
        let server = StubServer(.raw("HTTP/1.1 200 OK\r\nConte"), .ok(good))
        let running = start(["price-fetch", "--timeout", "20s", "--url", server.url(), "binance"])
        #expect(try failure(running, 0)?.kind == .invalidData)
        #expect(try answer(running, 1).quote != nil && running.finish().status == 0)
    }

    // MARK: 9, 10 and 11

    /// One program, a tick for each body, and after all of them a good one.
    private func refuses(_ bodies: [[UInt8]], source: [String], good: String) throws {
        let server = StubServer(.silence)
        let running = start(["price-fetch", "--timeout", "20s", "--url", server.url()] + source)
        for (tick, body) in bodies.enumerated() {
            server.answer(with: .ok(body))
            #expect(
                try failure(running, tick)?.kind == .invalidData, "\(String(decoding: body, as: UTF8.self))")
        }
        server.answer(with: .ok(good))
        #expect(try answer(running).quote != nil)
        #expect(server.requests.count == bodies.count + 1 && running.finish().status == 0)
    }

    private func refuses(_ bodies: [String], source: String) throws {
        try refuses(bodies.map { Array($0.utf8) }, source: [source], good: Self.bodies[source]!)
    }

    private static let bodies = [
        "binance": #"{"symbol":"BTCUSDT","price":"114721.34000000"}"#,
        "cryptocompare":
            #"{"RAW":{"MARKET":"CUSTOMAGG","FROMSYMBOL":"BTC","TOSYMBOL":"USD","PRICE":103457.51,"LASTVOLUME":0.5},"DISPLAY":{"PRICE":"$ 103,457.5"}}"#,
        "coinbase": #"{"data":{"amount":"92066.955","base":"BTC","currency":"USD"}}"#,
        "kraken": #"{"error":[],"result":{"XXBTZUSD":{"a":["92067.1","1"],"c":["92066.90000","0.0010"]}}}"#,
        "bitstamp": #"{"timestamp":"1737685911","open":"91000","last":"92066","bid":"92065"}"#,
    ]

    @Test(arguments: bodies.keys.sorted())
    func `9: a body that is not the source's quote is refused, whatever it is`(source: String) throws {
        let good = Self.bodies[source]!
        let nested = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        let first = good.prefix(while: { $0 != ":" }).dropFirst()
        let cut = String(good.dropLast())
        let texts: [String] = [
            "", " \n", "null", "[]", "{}", "\u{0}", "68901.23", "<!DOCTYPE html><html>Sorry</html>", cut,
            String(good.prefix(good.count / 2)), "\(good)}", "\(good)\(good)", "\(good)\u{0}",
            "\u{FEFF}\(good)", "[\(good)]", "{\(first):1,\(good.dropFirst())", "\(cut),}",
            "\(cut),\"deep\":\(nested)}", String(repeating: "[", count: 513),
            good.replacing("\"", with: "'"), "\(cut),\"x\":\"\t\"}",
            #"{"Response":"Error","Message":"You are over your rate limit","Type":99}"#,
            #"{"error":["EGeneral:Too many requests"]}"#, #"{"code":-1121,"msg":"Invalid symbol."}"#,
        ]
        let notUTF8: [UInt8] = Array("\(cut),\"x\":\"".utf8) + [0xC3] + Array("\"}".utf8)
        let noise: [[UInt8]] = [[0xFF, 0xFE, 0x7B, 0x00], notUTF8, [0x1F, 0x8B, 0x08, 0x00, 0x00]]
        try refuses(texts.map { Array($0.utf8) } + noise, source: [source], good: good)
    }

    @Test(arguments: bodies.keys.sorted())
    func `9: whatever becomes of a body, what is taken from it is a price that stands in it`(source: String) {
        let chosen = PriceSource.all.first { $0.name == source }!
        let body = Array(Self.bodies[source]!.utf8)
        let names = [
            "binance": ["BTCUSDT"], "cryptocompare": ["BTC", "USD"], "coinbase": ["BTC", "USD"],
            "kraken": ["XXBTZUSD"], "bitstamp": [],
        ][source]!
        var random = SeededRandom(2026)
        var taken = 0
        for _ in 0..<FullSize.count(short: 1000, full: 20_000) {
            let mutated = random.mutation(of: body)
            guard let (price, currency) = try? chosen.price(in: mutated, .bitcoin) else { continue }
            taken += 1
            let text = String(decoding: mutated, as: UTF8.self)
            let isPrice =
                price.text.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,12})?/) != nil && Double(price.text)! > 0
            let isQuote =
                isPrice && text.contains(price.text) && currency == .usDollar
                && names.allSatisfy { text.contains("\"\($0)\"") }
            #expect(isQuote, "\(price.text) from \(text)")
        }
        #expect(taken > 0)
    }

    @Test(arguments: [
        (
            "binance",
            [
                #"{"symbol":"ETHUSDT","price":"3012.55"}"#, #"{"symbol":"BTCEUR","price":"90123.1"}"#,
                #"{"symbol":"btcusdt","price":"1.5"}"#, #"{"symbol":"BTCUSDT ","price":"1.5"}"#,
                #"{"symbol":["BTCUSDT"],"price":"1.5"}"#, #"{"price":"1.5"}"#,
            ]
        ),
        (
            "cryptocompare",
            [
                #"{"RAW":{"FROMSYMBOL":"ETH","TOSYMBOL":"USD","PRICE":3012.55}}"#,
                #"{"RAW":{"FROMSYMBOL":"BTC","TOSYMBOL":"EUR","PRICE":90123.1}}"#,
                #"{"RAW":{"FROMSYMBOL":"BTC","PRICE":90123.1}}"#,
                #"{"RAW":{"TOSYMBOL":"USD","PRICE":90123.1}}"#,
            ]
        ),
        (
            "coinbase",
            [
                #"{"data":{"amount":"3012.55","base":"ETH","currency":"USD"}}"#,
                #"{"data":{"amount":"90123.1","base":"BTC","currency":"EUR"}}"#,
                #"{"data":{"amount":"90123.1","base":"BTC"}}"#,
                #"{"data":{"amount":"90123.1","currency":"USD"}}"#,
            ]
        ),
        (
            "kraken",
            [
                #"{"error":[],"result":{"XETHZUSD":{"c":["3012.55","1"]}}}"#,
                #"{"error":[],"result":{"XXBTZEUR":{"c":["90123.1","1"]}}}"#,
                #"{"error":[],"result":{"XXBTZUSD":{"c":["1.1","1"]},"XETHZUSD":{"c":["2.2","1"]}}}"#,
                #"{"error":[],"result":{}}"#,
            ]
        ),
    ])
    func `10: the price of something else, or in another currency, is refused`(
        source: String, bodies: [String]
    ) throws {
        try refuses(bodies, source: source)
    }

    @Test func `11: a price of any other grammar is refused, as text or bare`() throws {
        let prices = [
            "-1", "-68901.23", "0", "-0", "0.0", "0.000000000000", "NaN", "nan", "Infinity", "-Infinity",
            "1e400",
            "1e5", "1E2", "1,234.5", "1.234,5", "1abc", "0x1F", " 1", "1 ", "+1", ".5", "5.", "1..5", "1.2.3",
            "",
            "６８９０１", "٦٨٩", String(repeating: "9", count: 60), "1234567890123", "1.1234567890123", "null",
            "true",
            "false", "$1", "1\\u0000", "１.５", "[]", "{}", "[1.5]",
        ]
        // A bare number may have space around it.
        let bare = prices.filter { $0.trimmingCharacters(in: .whitespaces) != "1" }
        let bodies = prices.map { "{\"p\":\"\($0)\"}" } + bare.map { "{\"p\":\($0)}" }
        try refuses(bodies.map { Array($0.utf8) }, source: ["--price", "/p"], good: #"{"p":"1.5"}"#)
    }

    // MARK: 12

    @Test(arguments: [301, 302, 303, 307, 308])
    func `12: a redirect is not followed: to itself, to another host, or to nowhere`(status: Int) throws {
        let other = StubServer(.ok(good))
        let server = StubServer(.silence)
        let running = start(["price-fetch", "--timeout", "20s", "--url", server.url(), "binance"])
        let places = [
            ["Location: \(server.url())"], ["Location: /price.json"], ["Location: \(other.url())"],
            ["Location: http://localhost:\(other.port)/price.json"], ["Location: //127.0.0.1:\(other.port)/"],
            ["Location: "], ["Location: file:///etc/passwd"], [],
        ]
        for (tick, headers) in places.enumerated() {
            server.answer(with: .status(status, good, headers: headers))
            let failure = try failure(running, tick)
            #expect(failure?.kind == .invalidData && failure?.message == "status \(status)", "\(headers)")
        }
        #expect(server.requests.count == places.count && other.requests.isEmpty)
    }

    @Test(.enabled(if: canTrust, "needs unshare and openssl"))
    func `12: a redirect from TLS into the clear is not followed`() throws {
        let other = StubServer(.ok(good))
        let files = TemporaryFolder()
        files.write("price", "HTTP/1.1 302 Found\r\nLocation: \(other.url())\r\nContent-Length: 0\r\n\r\n")
        let server = TLSServer("good", files: files)
        let url = "https://localhost:\(server.port)/price"
        let failure = try failure(
            startTrusting(["price-fetch", "--timeout", "20s", "--url", url, "binance"]))
        #expect(failure?.kind == .invalidData && failure?.message == "status 302")
        #expect(other.requests.isEmpty)
    }

    // MARK: 16

    @Test func `16: a name that nobody has is a failure by the deadline`() throws {
        let url = "http://no-such-name.invalid/price.json"
        let running = start(["price-fetch", "--timeout", "800ms", "--url", url, "binance"])
        let start = ContinuousClock.now
        let kind = try failure(running)?.kind
        #expect(kind == .network || kind == .timeout)
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test(.enabled(if: canNameServers, "needs unshare and port 53"))
    func `16: a silent name server delays no tick beyond its deadline, and a quote is back when it answers`()
        throws
    {
        let names = try #require(StubNameServer())
        let server = StubServer(.ok(good))
        let folder = TemporaryFolder()
        folder.write("resolv.conf", "nameserver \(names.address)\n")
        let url = "http://btc-price.test:\(server.port)/price.json"
        let running = start(
            ["price-fetch", "--timeout", "500ms", "--url", url, "binance"],
            with: "\(folder.path)/resolv.conf",
            over: "/etc/resolv.conf")
        for tick in 0..<4 {
            let start = ContinuousClock.now
            let kind = try failure(running, tick)?.kind
            #expect(kind == .timeout || kind == .network)
            #expect(ContinuousClock.now - start < .seconds(2))
        }
        #expect(names.asked > 0 && server.requests.isEmpty)
        // When
        names.answer()
        // Then
        let start = ContinuousClock.now
        let isBack = try (4..<20).contains { try answer(running, $0).quote != nil }
        #expect(isBack && ContinuousClock.now - start < .seconds(4))
    }

    // MARK: 17

    @Test(
        .enabled(if: hasOpenSSL, "needs openssl"), arguments: ["good", "self-signed", "expired", "other"])
    func `17: a server without a trusted certificate receives nothing but a handshake`(certificate: String)
        throws
    {
        let files = TemporaryFolder()
        files.write("price.json", "HTTP/1.1 200 OK\r\nContent-Length: \(good.utf8.count)\r\n\r\n\(good)")
        let server = TLSServer(certificate, files: files)
        let proxy = SilentProxy(to: server.port)
        let url = "https://localhost:\(proxy.port)/price.json"
        let running = start(["price-fetch", "--timeout", "20s", "--url", url, "binance"])
        for tick in 0..<2 { #expect(try failure(running, tick)?.kind == .network) }
        // Then there was a handshake, and nothing else
        let received = String(decoding: proxy.received, as: UTF8.self)
        #expect(proxy.received.first == 0x16)
        #expect(!received.contains("price.json") && !received.contains("User-Agent"))
    }

    @Test(
        .enabled(if: canTrust, "needs unshare and openssl"),
        arguments: [("expired", "expired"), ("other", "host name"), ("self-signed", "self-signed")])
    func `17: nor does a trusted authority help one that has expired, or is of another host`(
        certificate: String, message: String
    ) throws {
        let files = TemporaryFolder()
        files.write("price.json", "HTTP/1.1 200 OK\r\nContent-Length: \(good.utf8.count)\r\n\r\n\(good)")
        let words = { (server: TLSServer) in
            [
                "price-fetch", "--timeout", "20s", "--url", "https://localhost:\(server.port)/price.json",
                "binance",
            ]
        }
        let bad = TLSServer(certificate, files: files)
        let failure = try failure(startTrusting(words(bad)))
        #expect(failure?.kind == .network && failure?.message.contains(message) == true)
        let server = TLSServer("good", files: files)
        #expect(try answer(startTrusting(words(server))).quote?.price.text == "68901.23")
    }

    @Test func `17: a handshake that stalls ends at the deadline, and nothing goes in the clear`() throws {
        let proxy = SilentProxy()
        let url = "https://localhost:\(proxy.port)/price.json"
        let running = start(["price-fetch", "--timeout", "500ms", "--url", url, "binance"])
        for tick in 0..<3 {
            let start = ContinuousClock.now
            #expect(try failure(running, tick)?.kind == .timeout)
            #expect(ContinuousClock.now - start < .milliseconds(2500))
        }
        #expect(proxy.received.first == 0x16)
        #expect(!String(decoding: proxy.received, as: UTF8.self).contains("price.json"))
    }

    // MARK: 18

    @Test(arguments: [
        StubServer.Answer.reset(), .reset(after: "HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n"),
        .reset(after: "HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n{\"symbol\":"), .raw(""),
        .raw("HTTP/1.1 200 OK\r\nContent-Length: 39\r\n\r\n"),
    ])
    func `18: a connection that breaks is a network failure at once, and the next tick has a quote`(
        answer: StubServer.Answer
    ) throws {
        let server = StubServer(answer)
        let running = start(["price-fetch", "--timeout", "20s", "--url", server.url(), "binance"])
        let start = ContinuousClock.now
        #expect(try failure(running, 0)?.kind == .network)
        #expect(ContinuousClock.now - start < .seconds(5))
        server.answer(with: .ok(good))
        #expect(try self.answer(running, 1).quote != nil)
    }

    @Test func `18: so is one that is refused, or reset before a request`() throws {
        let free = Loopback.freePort()
        let proxy = SilentProxy(to: free)
        for port in [free, proxy.port] {
            let url = "http://127.0.0.1:\(port)/price.json"
            let running = start(["price-fetch", "--timeout", "20s", "--url", url, "binance"])
            let start = ContinuousClock.now
            for tick in 0..<3 { #expect(try failure(running, tick)?.kind == .network) }
            #expect(ContinuousClock.now - start < .seconds(5))
        }
        #expect(proxy.accepted > 0)
    }

    @Test func `18: a server that is gone while idle is rescued at once`() throws {
        let server = StubServer(.ok(good))
        let running = start(fallback(server.url(), "--timeout", "4s"))
        #expect(try answer(running, 0).source == "binance")
        // When
        server.close()
        // Then
        let start = ContinuousClock.now
        let reading = try answer(running, 1)
        #expect(reading.source == "fallback" && [.network, .exited].contains(reading.failures.first?.kind))
        #expect(ContinuousClock.now - start < .seconds(3))
    }

    @Test(arguments: [0, 300])
    func `18: a stale connection is replaced at once, without a failure`(idle: Int) throws {
        // The server closes a connection on its second request, or while it is idle.
        let closing = StubServer.Answer.raw(
            "HTTP/1.1 200 OK\r\nContent-Length: \(good.utf8.count)\r\n\r\n\(good)")
        let server = idle == 0 ? StubServer(.ok(good), .raw(""), .ok(good)) : StubServer(closing)
        let running = start(["price-fetch", "--timeout", "4s", "--url", server.url(), "binance"])
        #expect(try answer(running, 0).quote != nil)
        running.waitUntil(within: .milliseconds(idle)) { false }
        let start = ContinuousClock.now
        #expect(try answer(running, 1).quote != nil)
        #expect(ContinuousClock.now - start < .seconds(2))
        #expect(server.requests.first?.connection == 1 && server.requests.last?.connection == 2)
    }
}
