import Foundation
import PipeCommon
import Synchronization
import TestSupport

/// A push feed compared with polling: the cost of a message and of a beat with 25 symbols, and the time to the line.
func push(_ options: BenchOptions, _ report: Report) {
    guard PushServer.isPossible else {
        return report.row("processor time per pushed message", ours: "needs openssl", holds: nil)
    }
    perMessage(options, report)
    beat(options, report)
    tickToLine(options, report)
    messageToLine(options, report)
}

private func perMessage(_ options: BenchOptions, _ report: Report) {
    let count = options.count(200_000, quick: 20_000)
    let ours = Sample(
        (0..<options.count(5, quick: 2)).map { _ in
            let costs = [1000, 1000 + count].map(cost(ofMessages:))
            return (costs[1] - costs[0]) / Double(count)
        })
    let sources = LocalSources()
    let polled = perRequest(options.count(2000, quick: 300), "price-fetch", sources.url("binance"))
    report.row(
        "processor time per pushed message, `price-fetch` alone", ours: ours.text(" µs", scale: 1_000_000),
        other: "a polled request: \(number(polled * 1_000_000, 0)) µs",
        ratio: "1/\(number(polled / ours.median, 0))", holds: nil)
}

/// The processor time, in seconds, to receive a number of pushed messages.
private func cost(ofMessages count: Int) -> Double {
    let sent = Mutex(0)
    let server = PushServer {
        let first = sent.withLock { sent in
            defer { sent = min(sent + 100, count) }
            return sent
        }
        return (first..<min(first + 100, count)).map {
            PushServer.message("S\($0 % 25)USDT", "\(100 + $0).50")
        }
    }
    defer { server.close() }
    return Cost.ofChildren {
        let running = RunningProgram(
            "price-fetch", ["--push", "--timeout", "60s", "--url", server.url, "binance"])
        // Once the price of the last message is shown, all messages have been received.
        let last = "\(100 + count - 1).50"
        let ticks = (0..<25).map { "{\"tick\":1,\"symbol\":\"S\($0)-USD\"}\n" }.joined()
        var lines: [String?]
        repeat {
            running.write(ticks)
            usleep(20_000)
            lines = (0..<25).map { _ in running.readLine(within: .seconds(60)) }
            precondition(!lines.contains(nil), running.errors)
        } while !lines.contains { $0?.contains(last) == true }
        precondition(running.finish().status == 0, running.errors)
    }
}

/// Processor time per beat with 25 symbols that all change in each beat, compared with polling one symbol.
private func beat(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let count = options.count(60, quick: 15)
    let changes = Changes(of: 25, every: .milliseconds(200))
    let server = PushServer { changes.next() }
    defer { server.close() }
    let costs = [(25, "--push --url \(server.url)"), (1, "--base \(sources.base)")].map { symbols, option in
        perTick(count) { count in
            let words = (0..<symbols).map { "--symbol S\($0)-USD" }.joined(separator: " ")
            return """
                price-clock --interval 200ms -n \(count) \(words) |
                    price-fallback 'price-fetch \(option) binance' | price-cache | price-format
                """
        } environment: {
            sources.environment
        }
    }
    report.row(
        "processor time per beat with 25 symbols by push", ours: "\(number(costs[0] * 1000, 2)) ms",
        other: "1 symbol by polling: \(number(costs[1] * 1000, 2)) ms",
        ratio: "\(number(costs[0] / costs[1])) ×",
        goal: "≤ 2 ×", holds: costs[0] <= 2 * costs[1])
}

/// A new price of each symbol, at intervals.
private final class Changes: Sendable {
    private let symbols: Int
    private let interval: Duration
    private let state = Mutex((due: ContinuousClock.now, count: 0))

    init(of symbols: Int, every interval: Duration) {
        (self.symbols, self.interval) = (symbols, interval)
    }

    func next() -> [String] {
        let count = state.withLock { state -> Int? in
            guard ContinuousClock.now >= state.due else { return nil }
            state = (ContinuousClock.now + interval, state.count + 1)
            return state.count
        }
        guard let count else { return [] }
        return (0..<symbols).map { PushServer.message("S\($0)USDT", "\(100 + count).50") }
    }
}

/// The time from a tick to its printed line, by push and by polling.
private func tickToLine(_ options: BenchOptions, _ report: Report) {
    let sources = LocalSources()
    let changes = Changes(of: 1, every: .milliseconds(5))
    let server = PushServer { changes.next() }
    defer { server.close() }
    let count = options.count(200, quick: 50)
    let samples = ["--push --url \(server.url)", "--base \(sources.base)"].map { option in
        let running = start("price-fetch --timeout 20s \(option) binance", sources.environment)
        defer { _ = running.finish() }
        return Sample(
            (0..<count + 10).map { _ in
                usleep(25_000)  // more often, and a request waits for its turn: 50 per second at Binance
                return printed(running) {
                    running.write("{\"symbol\":\"S0-USD\"}\n")
                    return .now
                }
            }.suffix(count))
    }
    report.row(
        "tick to printed line by push, median", ours: "\(number(samples[0].median, 2)) ms",
        other: "by polling: \(number(samples[1].median, 2)) ms",
        ratio: "\(number(samples[0].median / samples[1].median, 2)) ×", goal: "≤ 1 ×",
        holds: samples[0].median <= samples[1].median)
}

/// The time from a message over TLS to the printed line. Each tick is of a new symbol, so it waits for its first price.
private func messageToLine(_ options: BenchOptions, _ report: Report) {
    guard let encryption = TLSContext("good") else { return }
    let folder = TemporaryFolder()
    let next = Mutex<String?>(nil)
    let sent = Mutex(ContinuousClock.now)
    let server = PushServer(encryptedBy: encryption) {
        guard let message = next.withLock({ $0.take() }) else { return [] }
        sent.withLock { $0 = .now }
        return [message]
    }
    defer { server.close() }
    let running = start(
        "price-fetch --push --timeout 20s --url \(server.url) binance",
        ["XDG_CACHE_HOME": folder.path, "SSL_CERT_FILE": Certificates.shared.authority])
    defer { _ = running.finish() }
    let count = options.count(500, quick: 50)
    let sample = Sample(
        (0..<count + 10).map { number in
            running.write("{\"symbol\":\"S\(number)-USD\"}\n")
            // The client needs this time to subscribe.
            usleep(number == 0 ? 300_000 : 10_000)
            return printed(running) {
                next.withLock { $0 = PushServer.message("S\(number)USDT", "100.50") }
                while next.withLock({ $0 != nil }) { usleep(50) }
                return sent.withLock { $0 }
            }
        }.suffix(count))
    report.row(
        "message over wss to printed line, median", ours: "\(number(sample.median, 2)) ms", goal: "≤ 1.5 ms",
        holds: sample.median <= 1.5)
}

private func start(_ source: String, _ environment: [String: String]) -> RunningProgram {
    RunningProgram("bash", ["-c", "\(source) | price-cache | price-format"], environment: environment)
}

/// Milliseconds from `start` until the next line is printed.
private func printed(_ running: RunningProgram, since start: () -> ContinuousClock.Instant) -> Double {
    let start = start()
    precondition(running.readLine()?.contains("$") == true, "no line with a price: \(running.errors)")
    return milliseconds(.now - start)
}
