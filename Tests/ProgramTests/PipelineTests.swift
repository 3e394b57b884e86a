import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The built programs from `price-fallback` to `price-format`, connected by pipes, with real HTTP servers on
/// loopback.
@Suite(.endToEnd) struct PipelineTests {
    private let primary = StubServer(.ok(#"{"symbol":"BTCUSDT","price":"68901.23"}"#))
    private let fallback = StubServer(.ok(ExchangePayload.coinbase.body(.bitcoin, "68890.00")))
    private let folder = TemporaryFolder()
    private let stored =
        #"{"symbol":"BTC-USD","source":"binance","quote":\#(anyQuote("68000.5").text)}"# + "\n"

    private func command(_ limits: String = "") -> String {
        """
        price-fallback \(limits) "price-fetch --url \(primary.url()) binance" "price-fetch --url \(fallback.url()) coinbase" |
            price-cache --file \(folder.path)/quote.json | tee \(folder.path)/readings | price-format
        """
    }

    /// - Parameter limits: the options for time limits. With the default, even sources that start
    ///   slowly answer in time.
    private func run(_ limits: String = "--timeout 8s --budget 10s", ticks: String = #"{"tick":1}"#)
        -> RunningProgram.Result
    {
        RunningProgram.shell(command(limits), input: ticks + "\n")
    }

    private func isNow(_ line: String?, _ price: String) -> Bool {
        // A new minute may have begun since the line was printed.
        [0, -60].contains { "\(displayed(Date(timeIntervalSinceNow: $0))) - \(price)" == line }
    }

    private func displayed(_ date: Date) -> String {
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        formatter.dateFormat = "MMM d, HH:mm"
        return formatter.string(from: date)
    }

    @Test func `the primary's price is shown with the current time and is stored`() throws {
        let result = run()
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.count == 1 && isNow(result.lines.first, "$68,901.23"))
        #expect(fallback.requests.isEmpty)
        #expect(
            folder.contents("quote.json")?.contains(#""source":"binance","quote":{"value":"68901.23""#)
                == true)
    }

    @Test func `if the primary takes longer than 800 ms, the fallback's price is shown without a banner`() {
        primary.answer(with: .silence)
        let result = run("--budget 10s")
        #expect(result.lines.count == 1 && isNow(result.lines.first, "$68,890.00"))
        #expect(
            folder.contents("readings")?.contains(
                #""kind":"timeout","message":"no answer within 800 ms"}],"error":false}"#) == true)
    }

    @Test(.fault(19)) func `when both sources fail, the banner and the stored quote are shown`() {
        // Given an unreachable primary, a fallback that returns errors, and a stored quote
        primary.close()
        fallback.answer(with: .status(500))
        folder.write("quote.json", stored)
        // When a tick arrives
        let result = run()
        // Then the banner and the stored quote are shown, and the stored quote is kept
        #expect(
            result.output == """
                Failed to update value. Displaying last updated value from Nov 21, 14:03
                Nov 21, 14:03 - $68,000.50

                """)
        #expect(folder.contents("quote.json") == stored)
    }

    @Test(.fault(19))
    func `when both sources fail and nothing is stored, the reason is shown instead of a price`() throws {
        for server in [primary, fallback] { server.close() }
        let result = run()
        #expect(result.lines.count == 2 && result.lines.last == "-")
        #expect(try #require(result.lines.first).hasPrefix("No price yet: binance: "))
        #expect(folder.contents("quote.json") == nil)
    }

    @Test func `a tick that is not answered within a second fails at the end of that second`() {
        // Given a silent primary, and a fallback that needs 400 ms although only 200 ms remain
        primary.answer(with: .silence)
        let answer = ExchangePayload.coinbase.body(.bitcoin, "68890.00")
        fallback.answer(with: .ok(answer).after(.milliseconds(400)))
        // When a tick arrives
        let start = ContinuousClock.now
        let running = RunningProgram("bash", ["-c", command()])
        running.write("{}\n")
        // Then the failure is shown between one and two seconds later
        #expect(running.readLine() == "No price yet: source 1: no answer within 800 ms")
        let elapsed = ContinuousClock.now - start
        #expect(elapsed >= .seconds(1) && elapsed < .seconds(2))
        #expect(running.finish().output.hasSuffix("\n-\n"))
    }

    @Test func `tee before price-format makes a recording, and replaying it prints the same text`() {
        // When two ticks are answered and recorded
        let result = run(ticks: "{\"tick\":1,\"at\":\"2026-11-21T14:03:07.000Z\"}\n{\"tick\":2}")
        let recording = folder.contents("readings") ?? ""
        // Then price-format prints the same text for the recording, and another price-cache passes the recording on
        // unchanged
        #expect(
            recording.hasPrefix(
                #"{"tick":1,"at":"2026-11-21T14:03:07.000Z","source":"binance","quote":{"value":"68901.23","currency":"USD","timestamp":"#
            ))
        #expect(RunningProgram.run("price-format", input: recording).output == result.output)
        #expect(
            RunningProgram.shell("price-cache --file \(folder.path)/second", input: recording).output
                == recording)
    }
}
