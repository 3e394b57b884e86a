import Foundation
import TestSupport
import TestTraits
import Testing

/// Answers that come too slowly or never end.
@Suite(.endToEnd) struct EndlessAnswerFaultTests {
    private let fetch = FetchUnderTest()

    @Test(
        .fault(7),
        arguments: [
            StubServer.Answer.drip(FetchUnderTest.goodBody, every: .milliseconds(100), withHeader: true),
            .drip(FetchUnderTest.goodBody, every: .milliseconds(100)), .silence,
        ])
    func `an answer that trickles in or never comes causes a timeout`(answer: StubServer.Answer) throws {
        let server = StubServer(answer)
        let running = fetch.start(server.url(), timeout: "500ms")
        // On a busy machine, the program may take seconds to start, so the first answer is not timed.
        _ = try running.failure()
        let start = ContinuousClock.now
        let failure = try running.failure(at: 1)
        #expect(failure.kind == .timeout && failure.message == "no answer within 500 ms")
        #expect((.milliseconds(500)..<Duration.milliseconds(2500)).contains(ContinuousClock.now - start))
        #expect(running.finish().status == 0 && server.requests.count == 2)
    }

    private func survives(_ hostile: StubServer.Answer) throws {
        let server = StubServer(hostile)
        let running = fetch.startRescued(
            server.url(), "--timeout", "800ms", "--budget", "5s", "--trip", "0")
        for tick in 0..<5 {
            let reading = try running.answer(to: tick)
            #expect(reading.source == "fallback" && reading.failures.map { $0.kind != .network } == [true])
            for fetcher in fetch.fetchers { #expect(fetch.marked.peakMemory(of: fetcher) <= 40 << 20) }
        }
        #expect(!server.requests.isEmpty)
        server.answer(with: .quote)
        #expect(try running.isAnswered(by: "binance", after: 5))
    }

    @Test(
        .fault(8), .enabled(if: isLinux, "needs /proc"),
        arguments: [
            ("HTTP/1.1 200 OK\r\n", "X-Padding: \(String(repeating: "x", count: 99))\r\n"),
            ("HTTP/1.1 200 OK\r\nX-Padding: ", "x"), ("HTTP/1.1 200 OK\r\n\r\n", "x"),
            ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1\r\n \r\n"),
        ])
    func `memory stays bounded even if an answer never ends`(start: String, piece: String) throws {
        try survives(.endless(start, piece))
    }

    @Test(.fault(8), .enabled(if: isLinux && Programs.has("gzip"), "needs /proc and gzip"))
    func `a compressed body is not decompressed, and memory stays bounded`() throws {
        let folder = TemporaryFolder()
        let size = FullSize.count(short: 200, full: 1000)
        let command = "head -c \(size)M /dev/zero | nice gzip > \(folder.path)/bomb"
        #expect(RunningProgram.shell(command).status == 0)
        let bomb = try #require(FileManager.default.contents(atPath: "\(folder.path)/bomb"))
        try survives(.ok(Array(bomb), headers: ["Content-Encoding: gzip"]))
    }
}
