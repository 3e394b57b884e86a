import Foundation
import PipeCommon
import TestSupport
import Testing

/// Connections that are out of step, slow to open, or odd, tried on the built `price-fetch`.
@Suite struct FetchConnectionTests {
    private let good = #"{"p":"68901.23"}"#
    private let folder = TemporaryFolder()

    private static let canMount =
        RunningProgram.run("unshare", ["-rm", "mount", "--bind", "/dev/null", "/etc/resolv.conf"]).status == 0
    private static let canNameServers = canMount && StubNameServer() != nil

    private func start(
        _ url: String, timeout: String = "4s", environment: [String: String] = [:]
    ) -> RunningProgram {
        let words = ["--timeout", timeout, "--url", url, "--price", "/p"]
        return RunningProgram("price-fetch", words, environment: environment)
    }

    private func answer(_ running: RunningProgram, _ tick: Int = 0) throws -> Reading {
        running.write(#"{"tick":\#(tick)}"# + "\n")
        return try Reading(line: try #require(running.readLine()).utf8)
    }

    private func raw(_ price: String) -> String {
        let body = #"{"p":"\#(price)"}"#
        return "HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)"
    }

    // MARK: 37

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"p\":\"3000.00\"}",
        "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
        "HTTP/1.1 429 Slow Down\r\nRetry-After: 3600\r\nContent-Length: 0\r\n\r\n",
        "HTTP/1.1 200 OK\r\nConte", "\r\n", "junk",
    ])
    func `37: bytes on an idle connection are never an answer, and cost no tick`(unasked: String) throws {
        // Given a server that says more after each answer
        let server = StubServer { request in
            let price = "6\(request.connection)0\(request.path.count)"
            return .ok(#"{"p":"\#(price)"}"#).unasked(unasked, after: .milliseconds(20))
        }
        let running = start(server.url())
        for tick in 0..<4 {
            // When a tick comes after that
            let reading = try answer(running, tick)
            // Then it gets the answer of a new connection
            #expect(reading.quote?.price.text == "6\(tick + 1)011", "\(reading.text)")
            running.waitUntil(within: .milliseconds(60)) { false }
        }
        #expect(running.finish().status == 0 && server.accepted == 4)
    }

    @Test func `37: an answer with a second one right after it is not the answer to the next tick`() throws {
        let server = StubServer { request in
            .ok("{\"p\":\"\(request.connection)\"}").unasked(raw("3000.00"), after: .zero)
        }
        let running = start(server.url())
        for tick in 1...4 { #expect(try answer(running, tick).quote?.price.text == "\(tick)") }
    }

    // MARK: 38

    private func startNaming(_ servers: [StubNameServer], _ port: UInt16) -> RunningProgram {
        folder.write("resolv.conf", servers.map { "nameserver \($0.address)\n" }.joined())
        let script = #"mount --bind "$0" /etc/resolv.conf && exec price-fetch "$@""#
        let words = ["--url", "http://btc-price.test:\(port)/", "--price", "/p"]
        return RunningProgram("unshare", ["-rm", "bash", "-c", script, "\(folder.path)/resolv.conf"] + words)
    }

    /// A tick every second, as the clock gives them.
    private func ticksToQuote(_ running: RunningProgram) throws -> Int? {
        for tick in 1...5 {
            let next = Deadline(in: .seconds(1))
            if try answer(running, tick).quote != nil { return tick }
            running.waitUntil(within: next.remaining()) { false }
        }
        return nil
    }

    @Test(.enabled(if: canNameServers, "needs unshare and port 53"))
    func `38: with a name server that needs 0.9 s there is a quote from the second or third tick on`() throws
    {
        let names = try #require(StubNameServer())
        names.answer(after: .milliseconds(900))
        let server = StubServer(.ok(good))
        #expect(try #require(try ticksToQuote(startNaming([names], server.port))) <= 3)
    }

    @Test(.enabled(if: canNameServers, "needs unshare and port 53"))
    func `38: with a dead first name server there is a quote from the second or third tick on`() throws {
        let names = try [#require(StubNameServer()), #require(StubNameServer())]
        names[1].answer()
        let server = StubServer(.ok(good))
        #expect(try #require(try ticksToQuote(startNaming(names, server.port))) <= 3)
        #expect(names[0].asked > 0)
    }

    @Test(.enabled(if: canNameServers, "needs unshare and port 53"))
    func `38: with a dead first address there is a quote from the second or third tick on`() throws {
        let names = try #require(StubNameServer())
        names.answer([127, 0, 0, 1], [127, 0, 0, 2])
        let server = StubServer(at: "127.0.0.2", .ok(good))
        let dead = DeadAddress(at: "127.0.0.1", port: server.port)
        #expect(try #require(try ticksToQuote(startNaming([names], server.port))) <= 3)
        withExtendedLifetime(dead) {}
    }

    // MARK: 39

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nTrailer: X\r\n\r\n10\r\n{\"p\":\"68901.23\"}\r\n0\r\nX: 1\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 16\n\n{\"p\":\"68901.23\"}",
        "HTTP/1.1 200 OK\r\nX-Name: \u{FC}\u{1F600}\r\nContent-Length: 16\r\n\r\n{\"p\":\"68901.23\"}",
        "HTTP/1.1 103 Early Hints\r\nContent-Length: 3\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length:16  \r\n\r\n{\"p\":\"68901.23\"}",
        "HTTP/1.1 200\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{\"p\":\"68901.23\"}",
    ])
    func `39: an odd but valid answer is read as HTTP defines it`(answer: String) throws {
        let server = StubServer(.raw(answer))
        let running = start(server.url())
        for tick in 0..<2 { #expect(try self.answer(running, tick).quote?.price.text == "68901.23") }
        #expect(running.finish().status == 0 && server.accepted == 2)
    }

    @Test(arguments: [
        "HTTP/1.1 200 OK\r\nContent-Length: 9223372036854775807\r\n\r\n68901.23",
        "HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\n68901.23",
        "HTTP/1.1 200 OK\r\n\r\n689", "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n68901.23",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\nContent-Length: 3\r\n\r\n68901.23",
        "HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n689",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n689\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\n689", "HTTP/1.0 200 OK\r\n\r\n68901.23",
        "HTTP/1.1 200 OK\r\nContent-Le", "68901.23", "",
    ])
    func `39: a body without a proven end, whole or cut, is never a price`(answer: String) throws {
        let server = StubServer(.raw(answer))
        let words = ["--timeout", "4s", "--url", server.url(), "--price", ""]
        let running = RunningProgram("price-fetch", words)
        for tick in 0..<2 {
            let reading = try self.answer(running, tick)
            #expect(reading.quote == nil && reading.failures.map(\.kind) != [.timeout], "\(reading.text)")
        }
        #expect(running.finish().status == 0)
    }

    @Test func `39: an IPv6 literal, and a scheme in capitals, are addresses like any other`() throws {
        if let server = StubServer.overIPv6(.ok(good)) {
            #expect(try answer(start("http://[::1]:\(server.port)/")).quote != nil)
        }
        let server = StubServer(.ok(good))
        #expect(try answer(start("HTTP://127.0.0.1:\(server.port)/")).quote != nil)
    }

    @Test func `a body of exactly 64 KiB is read, and one byte more is refused`() throws {
        for (padding, isRead) in [(65_536 - good.utf8.count, true), (65_537 - good.utf8.count, false)] {
            let server = StubServer(.ok(String(repeating: " ", count: padding) + good))
            #expect(try (answer(start(server.url())).quote != nil) == isRead)
        }
    }

    // MARK: Requests

    @Test func `a request names the program, wants fresh JSON, and nothing compressed`() throws {
        let server = StubServer(.ok(good))
        #expect(try answer(start(server.url())).quote != nil)
        let headers = try #require(server.requests.first?.headers)
        #expect(headers["user-agent"] == "btc-price/\(version)" && headers["accept"] == "application/json")
        #expect(headers["cache-control"] == "no-cache" && headers["accept-encoding"] == nil)
    }

    @Test func `a request that is given up makes room for others`() throws {
        // Given twenty ticks that no server answers
        let server = StubServer(.silence)
        let running = start(server.url(), timeout: "100ms")
        for tick in 0..<20 { #expect(try answer(running, tick).failures.map(\.kind) == [.timeout]) }
        // When it answers again
        server.answer(with: .ok(good))
        // Then the next tick has a quote
        running.write(#"{"tick":20}"# + "\n")
        #expect(try Reading(line: try #require(running.readLine()).utf8).quote != nil)
    }

    @Test func `more ticks than requests at once are all answered, and no symbol starves`() throws {
        // Given 50 symbols, and a server that answers 16 in the time of a tick
        let server = StubServer(StubServer.Answer.ok(good).after(.milliseconds(300)))
        let running = start(server.url(), timeout: "500ms")
        var quoted: Set<Symbol> = []
        for beat in 0..<9 {
            for symbol in 0..<50 { running.write(#"{"tick":\#(beat),"symbol":"S\#(symbol)-USD"}"# + "\n") }
            for _ in 0..<50 {
                let reading = try Reading(line: try #require(running.readLine()).utf8)
                if reading.quote != nil { quoted.insert(reading.pricedSymbol) }
            }
        }
        // Then each has got a quote in one of the beats
        #expect(quoted.count == 50)
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `memory and descriptors stay flat over thousands of requests`() throws {
        let server = StubServer(.ok(good))
        let running = start(server.url(), timeout: "20s")
        let ticks = FullSize.count(short: 2_000, full: 100_000)
        func run(_ count: Int) throws {
            for _ in 0..<count { #expect(try answer(running).quote != nil) }
        }
        try run(500)
        let (memory, descriptors) = (residentMemory(running), openDescriptors(running))
        try run(ticks)
        #expect(residentMemory(running) - memory < 256 << 10 && openDescriptors(running) == descriptors)
        #expect(server.accepted == 1)
    }

    private func residentMemory(_ running: RunningProgram) -> Int {
        let text = (try? String(contentsOfFile: "/proc/\(running.process)/statm", encoding: .utf8)) ?? ""
        return (text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0) * Int(getpagesize())
    }

    private func openDescriptors(_ running: RunningProgram) -> Int {
        (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(running.process)/fd").count) ?? 0
    }

    // MARK: Authorities and proxies

    @Test(
        .enabled(if: Programs.has("openssl"), "needs openssl"),
        arguments: ["SSL_CERT_FILE", "CURL_CA_BUNDLE"])
    func `a private authority is trusted when the environment names it`(variable: String) throws {
        folder.write("price.json", raw("68901.23"))
        let server = TLSServer("good", files: folder)
        let url = "https://localhost:\(server.port)/price.json"
        #expect(try answer(start(url)).failures.map(\.kind) == [.network])
        let trusting = start(url, environment: [variable: Certificates.shared.authority])
        #expect(try answer(trusting).quote != nil)
    }

    @Test(.enabled(if: Programs.has("tinyproxy"), "needs tinyproxy"))
    func `requests go through a proxy that the environment names, but for the hosts that it excepts`() throws
    {
        // Given a proxy that logs what it connects to
        let port = Loopback.freePort()
        let log = "\(folder.path)/log"
        folder.write(
            "tinyproxy.conf",
            "Port \(port)\nListen 127.0.0.1\nTimeout 5\nLogFile \"\(log)\"\nLogLevel Connect\nMaxClients 10\n"
        )
        let proxy = RunningProgram("tinyproxy", ["-d", "-c", "\(folder.path)/tinyproxy.conf"])
        #expect(proxy.waitUntil(within: .seconds(10)) { Loopback.isListening(port) })
        let server = StubServer(.ok(good))
        let address = "http://127.0.0.1:\(port)"
        // When it is excepted, and when it is not
        let direct = ["http_proxy": address, "no_proxy": "127.0.0.1"]
        #expect(try answer(start(server.url(), environment: direct)).quote != nil)
        #expect(!(folder.contents("log") ?? "").contains("\(server.port)"))
        #expect(try answer(start(server.url(), environment: ["http_proxy": address])).quote != nil)
        // Then only the second request went through it
        let isLogged = proxy.waitUntil(within: .seconds(5)) {
            (folder.contents("log") ?? "").contains("127.0.0.1:\(server.port)")
        }
        #expect(isLogged, "\(folder.contents("log") ?? "")")
        proxy.signal(SIGTERM)
    }
}
