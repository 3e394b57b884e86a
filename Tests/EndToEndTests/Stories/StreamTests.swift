import Foundation
import TestSupport
import TestTraits
import Testing

@testable import PipeCommon

/// `price-fetch --stream`, which answers each tick with the newest price in the output of a command.
@Suite(.endToEnd) struct StreamTests {
    private let marked = MarkedProcesses()
    private let folder = TemporaryFolder()

    private func start(_ stream: String, _ words: String...) -> RunningProgram {
        let options = ["--stream", stream, "--price", "/c"] + words
        return RunningProgram("price-fetch", options, environment: marked.environment)
    }

    @Test func `each tick gets the newest price, and messages without a valid price are ignored`() throws {
        let messages = [
            #"{"type":"status"}"#, #"{"c":"1.50"}"#, #"{"c":2.50}"#, "no JSON", "{}", #"{"c":"-1"}"#,
        ]
        let running = start("printf '%s\\n' '\(messages.joined(separator: "' '"))'; cat", "--name", "feed")
        let reading = try running.answer(to: 7)
        #expect(reading.tick == 7 && reading.source == "feed" && reading.quote?.price.text == "2.50")
        // Without a new message, the same quote is used again
        #expect(try running.answer(to: 8).quote == reading.quote)
        #expect(running.finish().status == 0)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test func `a tick that arrives before the first price waits for that price`() throws {
        let running = start("sleep 0.3; echo '{\"c\":\"1.00\"}'; cat", "--timeout", "10s")
        #expect(try running.answer(to: 0).quote?.price.text == "1.00")
    }

    @Test func `a price older than --max-age is not used, and the tick times out at its deadline`() throws {
        let running = start("echo '{\"c\":\"1.00\"}'; cat", "--max-age", "700ms", "--timeout", "300ms")
        #expect(try running.answer(to: 0).quote?.price.text == "1.00")
        running.wait(.milliseconds(900))
        let start = ContinuousClock.now
        #expect(try running.answer(to: 1).failures.map(\.kind) == [.timeout])
        #expect((.milliseconds(290)...(.seconds(2))).contains(ContinuousClock.now - start))
    }

    @Test func `a stream's last price is kept even if the stream ends again and again`() throws {
        // Given
        let log = "\(folder.path)/starts"
        let running = start("echo x >> \(log); echo '{\"c\":\"1.00\"}'; exit 3", "--max-age", "30s")
        #expect(try running.answer(to: 0).quote?.price.text == "1.00")
        // When the stream has been started three times
        #expect(running.waitUntil { (folder.contents("starts") ?? "").count == 6 })
        // Then
        #expect(try running.answer(to: 1).quote?.price.text == "1.00")
        let result = running.finish()
        #expect(result.status == 0)
        let expected = "exited with status 3; restarting\n"
        #expect(result.errors.components(separatedBy: expected).count == 2)
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `a stream that keeps falling silent is restarted each time but reported only once`() throws {
        // Given
        let log = "\(folder.path)/starts"
        let running = start("echo x >> \(log); echo '{\"c\":\"1.00\"}'; sleep 60", "--max-age", "100ms")
        // When the stream has been started three times
        #expect(running.waitUntil { (folder.contents("starts") ?? "").count == 6 })
        // Then
        #expect(marked.living.count { $0.value.hasPrefix("sleep") } <= 1)
        let result = running.finish()
        #expect(result.status == 0 && marked.areGone(within: .seconds(1)))
        #expect(result.errors.components(separatedBy: "no price within 500 ms; restarting\n").count == 2)
        #expect(result.errors.hasSuffix("restarting\n"))
    }

    @Test func `a stream that keeps sending prices is not restarted`() {
        // Given a stream that sends a price every 0.2 s and keeps doing so for longer than the time after which
        // a silent stream is restarted
        let log = "\(folder.path)/log"
        let prices = "for _ in 1 2 3 4 5 6 7; do echo '{\"c\":\"1.00\"}'; sleep 0.2; done"
        let running = start("echo x >> \(log); \(prices); echo y >> \(log); sleep 60", "--max-age", "200ms")
        // When
        #expect(running.waitUntil { folder.contents("log")?.contains("y") == true })
        // Then
        #expect(folder.contents("log") == "x\ny\n" && running.finish().status == 0)
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `a stream's command that exits slowly is not reported when price-fetch ends`() {
        let slowly = ["-qq", "-f", "-o", "/dev/null", "-e", "inject=exit_group:delay_enter=100000"]
        let stream = ["price-fetch", "--stream", "echo '{\"c\":1}'; sleep 60", "--price", "/c"]
        let result = RunningProgram.run("strace", slowly + stream, input: "{}\n")
        #expect(result.status == 0 && result.lines.count == 1 && result.errors == "")
    }

    @Test func `if a stream's command does not exist, the timeout failure contains the exit status`() throws {
        let running = start("no/such/feed 2>/dev/null", "--timeout", "200ms")
        let failure = try #require(try running.answer(to: 0).failures.first)
        #expect(failure.kind == .timeout && failure.source == "stream")
        #expect(failure.message == "exited with status 127; restarting")
    }

    @Test func `each waiting tick gets the next price or fails at its own time limit`() throws {
        let running = start("sleep 2; echo '{\"c\":\"1.00\"}'; cat", "--timeout", "20s")
        running.write(#"{"tick":1}"# + "\n" + #"{"tick":2,"timeout_ms":100}"# + "\n")
        let reading = try #require(try running.readLine().map { try Reading(line: $0.utf8) })
        #expect(reading.tick == 2 && reading.failures.map(\.kind) == [.timeout])
        #expect(try running.nextReading().quote?.price.text == "1.00")
    }

    @Test func `a tick for a symbol that the stream does not provide is rejected at once`() throws {
        let running = start("echo '{\"c\":\"1.00\"}'; cat", "--symbol", "ETH-EUR", "--timeout", "20s")
        running.write(#"{"tick":1}"# + "\n" + #"{"tick":1,"symbol":"ETH-EUR"}"# + "\n")
        let readings = try (0..<2).map { _ in try running.nextReading() }
        let refusal = try #require(readings.first { $0.symbol == nil }?.failures.first)
        #expect(refusal.kind == .unsupported && refusal.message == "provides prices only for ETH-EUR")
        #expect(refusal.retry == .seconds(60))
        #expect(readings.compactMap(\.quote).map(\.currency.code) == ["EUR"])
        // When BTC-USD, which the stream does not provide, is requested again
        #expect(try running.failure(at: 2).kind == .unsupported)
        // Then the rejection is reported only once
        let expected = "price-fetch: warning: stream: provides prices only for ETH-EUR (see --symbol)\n"
        #expect(running.finish().errors == expected)
    }

    @Test func `--once waits for the first price or fails with a timeout`() {
        let good = RunningProgram.run(
            "price-fetch", ["--once", "--stream", "sleep 0.1; echo '{\"c\":1.5}'", "--price", "/c"])
        #expect(good.status == 0 && good.output.contains(#""value":"1.5""#))
        let none = RunningProgram.run(
            "price-fetch", ["--once", "--timeout", "100ms", "--stream", "cat", "--price", "/c"])
        #expect(none.status == 69 && none.output.contains("timeout"))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `a flood of messages does not exhaust memory, and the newest price is used`() throws {
        let running = start("seq -f '{\"c\":\"%.0f\"}' 1 200000; cat", "--timeout", "20s")
        #expect(
            running.waitUntil {
                (try? running.answer(to: 0))?.quote?.price.text == "200000"
            })
        #expect(marked.peakMemory(of: running.process) < 80 << 20)
    }

    @Test(.enabled(if: isLinux, "needs /proc"), arguments: [SIGINT, SIGTERM, SIGHUP])
    func `a signal that ends price-fetch also ends the command of its stream`(number: Int32) throws {
        let running = start("echo '{\"c\":\"1.00\"}'; sleep 60")
        #expect(try running.answer(to: 0).quote != nil)
        running.signal(number)
        #expect(running.result().status == 128 + number)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `killing the process tree of price-fetch also ends the command of its stream`() throws {
        let running = start("echo '{\"c\":\"1.00\"}'; sleep 60")
        #expect(try running.answer(to: 0).quote != nil)
        killTree(running.process)
        #expect(running.result().status == 128 + SIGKILL)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `no process is left if the input ends while the stream's command is being started`() {
        for _ in 0..<20 { #expect(start("sleep 60").finish().status == 0) }
        #expect(marked.areGone(within: .seconds(1)))
    }
}
