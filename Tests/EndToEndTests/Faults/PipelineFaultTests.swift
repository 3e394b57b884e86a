import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Faults that the whole pipeline or each of its programs must survive.
@Suite(.endToEnd) struct PipelineFaultTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()

    /// A stage of the pipeline sets the wall clock after 20 readings, because the test itself might do this
    /// too late on a busy machine. The stage first waits for half an interval, so that `price-clock` is in the
    /// middle of a wait: if the clock is set back while a wait begins, bash waits for an hour (a known limitation).
    @Test(.fault(26), .enabled(if: FakeClock.isInstalled, "needs libfaketime"), arguments: ["+1h", "-1h"])
    func `when the wall clock jumps by an hour, at most one tick fails`(step: String) throws {
        let server = StubServer(.quote)
        let fake = FakeClock()
        let command = """
            price-clock --interval 100ms -n 40 | price-fallback 'price-fetch --url \(server.url()) binance' |
                price-cache --file \(folder.path)/quote.json |
                { for _ in {1..20}; do read -r line; printf '%s\n' "$line"; done
                  sleep .05; echo '\(step)' >"$FAKETIME_TIMESTAMP_FILE"; cat; }
            """
        // When the clock jumps after half of the readings
        let running = RunningProgram("bash", ["-c", command], environment: fake.environment)
        var readings: [(at: Timestamp, reading: Reading)] = []
        while let line = running.readLine(within: .seconds(5)) {
            readings.append((.now(), try Reading(line: line.utf8)))
        }
        let end = running.finish()
        #expect(end.status == 0 && end.errors == "")
        // Then every tick is answered
        try #require(readings.map(\.reading.tick) == (0..<40).map { $0 })
        // The tick during the jump may fail or be answered one beat late.
        #expect(readings.count { !$0.reading.isFresh } <= 1)
        for (one, next) in zip(readings, readings.dropFirst()) {
            #expect(next.at.milliseconds - one.at.milliseconds < 5000)
        }
        let (first, last) = try (#require(readings.first), #require(readings.last))
        let whole = last.at.milliseconds - first.at.milliseconds
        #expect((1500...20_000).contains(whole))
        // And the stored quote shows the new time
        let stepped = step == "+1h" ? 3_600_000 : -3_600_000
        let text = try #require(folder.contents("quote.json"))
        let stored = try #require(try Reading(line: text.utf8.dropLast()).quote).timestamp.milliseconds
        #expect(abs(stored - stepped - Timestamp.now().milliseconds) < 60_000)
    }

    @Test(
        .fault(30),
        .enabled(if: isLinux, "needs /proc"),
        arguments: [
            "price-fetch --url http://127.0.0.1:\(Loopback.freePort()) binance",
            "price-fallback cat", "price-cache --file quote.json", "price-format",
        ])
    func `a line of 10 MB causes one diagnostic, and memory stays below 60 MiB`(program: String) throws {
        // Given a line of 10 MB and a valid line, and an input that then stays open
        let tick = #"{"tick":7,"failures":[{"source":"x","kind":"network","message":"m"}]}"#
        let feed = "{ head -c 10000000 /dev/zero | tr '\\0' x; echo; echo '\(tick)'; read -r _; }"
        let command = "cd \(folder.path); \(feed) | \(program)"
        let running = RunningProgram("bash", ["-c", command], environment: marked.environment)
        // When the program has processed the valid line
        #expect(running.readLine() != nil)
        // Then the peak memory is below the limit, and the long line is reported once
        let process = marked.living.first { $0.value.hasPrefix(program.prefix { $0 != " " }) }
        #expect(marked.peakMemory(of: try #require(process).key) < 60 << 20)
        running.write("\n")
        let result = running.finish()
        #expect(result.errors.components(separatedBy: "line 1: longer than 64 KiB\n").count == 2)
        #expect(result.lines.count == (program == "price-format" ? 2 : 1))
    }

    @Test(.fault(33))
    func `a server's text is printed on a single line without control characters`() throws {
        // Given error texts, a URL and a source's output with control characters
        let hostile = #"E\u001b]0;owned\u0007\r\n\u202e\u2028\u009b31m\u0000end"#
        let server = StubServer(.ok(#"{"error":["\#(hostile)"],"result":{}}"#))
        let bare = StubServer(.ok("\u{1B}[2J\u{202E}\r\n"))
        let command = """
            price-clock -n 1 | price-fallback 'price-fetch --url \(server.url()) kraken' \
                'price-fetch --url \(bare.url("/%1b%5b31m")) binance' 'echo bad$(printf "\\033[31m\\r")line; cat' |
                tee /dev/stderr | price-cache --file quote.json | tee /dev/stderr | price-format
            """
        // When the records and diagnostics of all stages are printed
        let result = RunningProgram.shell("cd \(folder.path); " + command)
        // Then the printed text contains no control characters except line breaks
        #expect(result.errors.contains("owned") && result.lines.count == 2)
        let isClean = (result.output + result.errors).unicodeScalars.allSatisfy {
            $0 == "\n"
                || $0.value >= 0x20 && $0.properties.generalCategory != .control
                    && $0.properties.generalCategory != .format && $0.value != 0x2028
        }
        #expect(isClean, "\(result.errors.debugDescription)")
    }
}
