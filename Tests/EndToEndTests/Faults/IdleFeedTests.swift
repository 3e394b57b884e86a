import Foundation
import PipeCommon
import TestTraits
import Testing

@testable import TestSupport
@testable import price_fetch

/// The processor time of `price-fetch` in each state in which a feed can wait. A feed that waited for a
/// deadline in the past would keep a whole processor busy.
@Suite(.endToEnd, .enabled(if: isLinux, "needs /proc")) struct IdleFeedTests {
    private let marked = MarkedProcesses()

    private func push(_ url: String, name: String = "coinbase", _ words: String...) -> RunningProgram {
        let url = url.replacing("http", with: "ws", maxReplacements: 1)
        let words = words + ["--timeout", "100ms", "--url", url]
        return RunningProgram("price-fetch", words + [name], environment: marked.environment)
    }

    private func stream(_ command: String) -> RunningProgram {
        RunningProgram(
            "price-fetch", ["--timeout", "100ms", "--stream", command, "--price", "/c"],
            environment: marked.environment)
    }

    @Test(.fault(47, 53)) func `a waiting feed uses hardly any processor time`() throws {
        let silence = StubServer(.silence)
        let limiting = StubServer(.status(429, headers: ["Retry-After: 600"]))
        let open = StubServer.upgrading(.wait(.seconds(30)))
        let price = ServerSide.frame(
            1,
            #"{"type":"ticker","product_id":"BTC-USD","price":"100.25","time":"\#(Timestamp.now().text)"}"#
                .utf8)
        let priced = StubServer.upgrading(.wait(.milliseconds(100)), .send(price), .wait(.seconds(30)))
        let closing = StubServer.upgrading(.close)
        let dead = "http://127.0.0.1:\(Loopback.freePort())/"
        let waiting = [
            "no tick yet": push(open.url(), "--push"), "refused": push(dead, "--push"),
            "not upgraded": push(silence.url(), "--push"), "limited": push(limiting.url(), "--push"),
            "open": push(open.url(), "--push"), "priced": push(priced.url(), "--push"),
            "gone": push(closing.url(), "--push"),
            "echo refused": push(dead, name: "echo"), "echo not upgraded": push(silence.url(), name: "echo"),
            "echo open": push(open.url(), name: "echo"), "echo gone": push(closing.url(), name: "echo"),
            "last answer": RunningProgram(
                "price-fetch", ["--timeout", "30s", "--url", silence.url(), "binance"],
                environment: marked.environment),
            "stream silent": stream("exec sleep 60"), "stream ended": stream("true"),
            "stream priced": stream("echo '{\"c\":\"1\"}'; exec sleep 60"),
        ]
        for (state, running) in waiting where state != "no tick yet" { running.write("{\"tick\":0}\n") }
        for (state, running) in waiting where !["no tick yet", "last answer"].contains(state) {
            _ = try running.nextReading()
        }
        waiting["last answer"]!.closeInput()
        let before = waiting.mapValues(\.processorTime)
        let start = ContinuousClock.now
        waiting["open"]!.wait(.seconds(1))
        let time = ContinuousClock.now - start
        for (state, running) in waiting {
            let share = (running.processorTime - before[state]!) / time
            // In practice, the program uses at most 0.15% of a processor.
            #expect(share < 0.01, "\(state): \(share * 100) %")
        }
    }
}

extension RunningProgram {
    /// The processor time that the process's main thread has used. Needs `/proc`.
    fileprivate var processorTime: Duration {
        let statistics = processFile("schedstat", of: process).split(separator: " ")
        return .nanoseconds(statistics.first.flatMap { Int64($0) } ?? 0)
    }
}
