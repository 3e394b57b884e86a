import Foundation
import PipeCommon
import TestSupport
import Testing

/// Answers that come too slowly, or never end.
@Suite struct EndlessAnswerFaultTests {
    private let fetch = FetchUnderTest()

    @Test(arguments: [
        StubServer.Answer.dripHeader(FetchUnderTest.goodBody, every: .milliseconds(100)),
        .drip(FetchUnderTest.goodBody, every: .milliseconds(100)),
    ])
    func `7: an answer that drips, header or body, ends at the deadline`(answer: StubServer.Answer) throws {
        let server = StubServer(answer)
        let running = fetch.start(server.url(), timeout: "500ms")
        let start = ContinuousClock.now
        #expect(try running.failure().kind == .timeout)
        let time = ContinuousClock.now - start
        #expect(time >= .milliseconds(500) && time < .milliseconds(2500))
        #expect(running.finish().status == 0 && server.requests.count == 1)
    }

    private func survives(_ hostile: StubServer.Answer) throws {
        let server = StubServer(hostile)
        let running = fetch.startRescued(
            server.url(), "--timeout", "800ms", "--budget", "5s", "--trip", "0")
        for tick in 0..<5 {
            let reading = try running.answer(to: tick)
            #expect(reading.source == "fallback" && reading.failures.count == 1)
            for fetcher in fetch.fetchers { #expect(fetch.marked.peakMemory(of: fetcher) <= 40 << 20) }
        }
        #expect(!server.requests.isEmpty)
        server.answer(with: .quote)
        #expect(try running.isAnswered(by: "binance", after: 5))
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

    @Test(.enabled(if: isLinux && Programs.has("gzip"), "needs /proc and gzip"))
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
}
