import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Heavy load on `price-fetch`: many simultaneous ticks, slow or silent servers, and very large answers.
@Suite(.endToEnd) struct FetchLoadFaultTests {
    private let fetch = FetchUnderTest()
    private let good = #"{"p":"68901.23"}"#

    @Test func `requests that timed out do not block later requests`() throws {
        // Given twenty ticks whose requests the server does not answer
        let server = StubServer(.silence)
        let running = fetch.startCustom(server.url(), timeout: "100ms")
        for tick in 0..<20 { #expect(try running.answer(to: tick).failures.map(\.kind) == [.timeout]) }
        // When the server begins to answer
        server.answer(with: .ok(good))
        // Then the next tick gets a quote
        running.write(#"{"tick":20}"# + "\n")
        #expect(try running.nextReading().quote != nil)
    }

    @Test
    func `with more symbols than concurrent requests, every tick is answered and every symbol gets quotes`()
        throws
    {
        // Given 50 symbols, and a server so slow that at most 16 requests of a beat are answered in time
        let good = StubServer.Answer.ok(FetchUnderTest.bodyOfAnySymbol)
        let server = StubServer(good.after(.milliseconds(300)))
        let words = ["--timeout", "500ms", "--base", server.url(""), "bitstamp"]
        let running = RunningProgram("price-fetch", words)
        var quoted: Set<Symbol> = []
        for beat in 0..<9 {
            for symbol in 0..<50 { running.write(#"{"tick":\#(beat),"symbol":"S\#(symbol)-USD"}"# + "\n") }
            for _ in 0..<50 {
                let reading = try running.nextReading()
                if reading.quote != nil { quoted.insert(reading.pricedSymbol) }
            }
        }
        // Then each symbol gets a quote in at least one of the beats
        #expect(quoted.count == 50)
    }

    @Test func `a tick times out at its deadline even while thousands of other ticks are read`() throws {
        // Given a tick whose request the server does not answer, followed by many other ticks
        let server = StubServer(.silence)
        let late = #"{"tick":2,"at":"2020-01-01T00:00:00.000Z"}"#
        let ticks = "{ echo '{\"tick\":1}'; timeout 10 yes '\(late)'; }"
        let command =
            "\(ticks) | price-fetch --timeout 300ms --url \(server.url()) binance | grep -m1 '\"tick\":1,'"
        // When price-fetch reads these ticks
        let start = ContinuousClock.now
        let answer = try #require(try RunningProgram.shell(command).readings().first)
        // Then the first tick times out without waiting for the end of the input
        #expect(answer.failures.map(\.kind) == [.timeout] && ContinuousClock.now - start < .seconds(3))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `a connection whose answer is too large is closed`() throws {
        let server = StubServer(.endless)
        let running = fetch.startCustom(server.url())
        #expect(try running.failure(at: 0).kind == .invalidData)
        let descriptors = running.descriptors
        for tick in 1..<5 { #expect(try running.failure(at: tick).kind == .invalidData) }
        #expect(running.descriptors == descriptors && server.accepted == 5)
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `over thousands of requests, memory stays nearly constant and no file descriptor leaks`() throws {
        let server = StubServer(.ok(good))
        let running = fetch.startCustom(server.url(), timeout: "20s")
        let ticks = FullSize.count(short: 2_000, full: 100_000)
        func run(_ count: Int) throws {
            for _ in 0..<count { #expect(try running.answer().quote != nil) }
        }
        // Given a program that has already allocated all the memory that it needs
        try run(500)
        func memory() -> Int { statusNumber("VmRSS", of: running.process) ?? 0 }
        let (before, descriptors) = (memory(), running.descriptors)
        // When thousands of further requests are answered
        try run(ticks)
        // Then memory has grown by less than 256 KiB, no descriptor has leaked, and one connection was enough
        #expect(memory() - before < 256 && running.descriptors == descriptors)
        #expect(server.accepted == 1)
    }
}
