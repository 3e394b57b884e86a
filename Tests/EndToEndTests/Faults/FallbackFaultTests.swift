import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Sources that reject requests, keep exiting or do not answer, and processes with too few file descriptors.
@Suite(.endToEnd) struct FallbackFaultTests {
    private let fetch = FetchUnderTest()

    @Test(.fault(13, 14), .enabled(if: isLinux, "needs /proc"), arguments: [429, 418, 451])
    func `a source that rejects a request is not queried again for a while, even by a restarted fetcher`(
        status: Int
    ) throws {
        let server = StubServer(.status(status, headers: ["Retry-After: 120"]))
        let running = fetch.startRescued(server.url())
        let kind: Failure.Kind = status == 451 ? .denied : .rateLimited
        #expect(try running.answer(to: 0).failures.map(\.kind) == [kind])
        // When the fetcher is killed and restarted
        let killed = fetch.signalFetchers(SIGKILL)
        #expect(fetch.isReplaced(killed, by: running))
        // Then no further request is made, and the fallback answers every tick
        for tick in 1...5 {
            let reading = try running.answer(to: tick)
            #expect(reading.source == "fallback" && reading.failures.map(\.kind) == [kind])
            let failure = try #require(reading.failures.first)
            #expect(!failure.message.isEmpty && failure.retry == nil)
        }
        #expect(server.requests.count == 1)
    }

    @Test(.fault(20))
    func `a silent primary delays only three lines and is used again once it answers`() throws {
        let server = StubServer(.silence)
        let running = fetch.startRescued(server.url(), "--timeout", "300ms", "--budget", "5s")
        for tick in 0..<3 { #expect(try running.answer(to: tick).source == "fallback") }
        // When the primary has been silent for three ticks
        let start = ContinuousClock.now
        for tick in 3..<6 { #expect(try running.answer(to: tick).source == "fallback") }
        // Then the next three lines together take less time than one timeout of the primary
        #expect(ContinuousClock.now - start < .milliseconds(300))
        server.answer(with: .quote)
        #expect(try running.isAnswered(by: "binance", after: 5))
    }

    @Test(.fault(44))
    func `a source that answers only some of 50 symbols is not restarted, and its quotes are used`() throws {
        // Given a source that answers each symbol after 0.3 s, after 1.1 s, or never, depending on the last
        // digit of the symbol's number
        let source = """
            while read -r tick; do
                case $tick in *[0369]-USD*) delay=0.3 ;; *[147]-USD*) delay=1.1 ;; *) continue ;; esac
                { sleep $delay; echo "$tick" | (\(ShellSource.quoting("1.00"))); } &
            done; wait
            """
        let symbols = (0..<50).map { "--symbol S\($0)-USD" }.joined(separator: " ")
        // When each symbol is requested in seven beats
        let result = RunningProgram.shell(
            "price-clock -n 7 \(symbols) | price-fallback \"$SOURCE\"", environment: ["SOURCE": source])
        // Then all ticks are answered, and each symbol that is answered after 0.3 s gets a quote
        let readings = try result.readings()
        let quoted = Set(readings.filter(\.isFresh).map(\.pricedSymbol))
        #expect(readings.count == 350)
        // On a busy machine, all answers of a beat may be late. A warning about that is allowed.
        #expect(!result.errors.contains("restarting"), "\(result.errors)")
        #expect(
            quoted.isSuperset(of: (0..<50).filter { $0 % 10 % 3 == 0 }.compactMap { Symbol("S\($0)-USD") }))
    }

    @Test(.fault(35), arguments: ["no/such/source", "exit 3", "price-fetch nonsense 2>/dev/null"])
    func `a source that keeps exiting does not delay any line and is reported once`(command: String) throws {
        // Given a source about which a warning has been printed
        let running = RunningProgram("price-fallback", [command, FetchUnderTest.rescue])
        #expect(running.errors(containing: "price-fallback: warning: "))
        // When ticks arrive while the source keeps exiting
        let start = ContinuousClock.now
        for tick in 0..<8 {
            let reading = try running.answer(to: tick)
            #expect(reading.source == "fallback" && reading.failures.map(\.kind) == [.exited])
            running.wait(.milliseconds(200))
        }
        #expect(ContinuousClock.now - start < .seconds(6))
        // Then no second warning is printed
        let result = running.finish()
        #expect(result.status == 0)
        #expect(result.errors.components(separatedBy: "price-fallback: warning: ").count == 2)
    }

    @Test(.fault(32))
    func `if file descriptors run out, the sources that could be started still answer`() throws {
        // Given a limit of 12 file descriptors
        let command =
            """
            for n in {3..11}; do eval "exec $n>&-"; done; ulimit -n 12
            price-fallback --budget 300ms "$SOURCE" "$SOURCE" "$SOURCE" "$SOURCE"
            """
        let environment = ["SOURCE": ShellSource.quoting("1.00")]
        let result = RunningProgram.shell(command, input: "{}\n{}\n", environment: environment)
        // Then the sources that could be started answer, and the failed starts are reported
        #expect(result.status == 0)
        #expect(try result.readings().map { $0.quote?.price.text } == ["1.00", "1.00"])
        #expect(result.errors.contains("cannot be started: Too many open files"))
        // And if there are too few file descriptors to start even one source, the tick fails
        let none = RunningProgram.shell(
            command.replacing("-n 12", with: "-n 9"), input: "{}\n", environment: environment)
        #expect(none.status == 0)
        #expect(try none.readings().first?.failures.first?.kind == .exited)
    }

    @Test(.fault(32))
    func `if price-fallback itself lacks file descriptors, it ends with one error line and status 74`() {
        let command = "for n in {3..11}; do eval \"exec $n>&-\"; done; ulimit -n 4; exec price-fallback cat"
        let result = RunningProgram.shell(command)
        #expect(result.status == 74)
        #expect(result.errors == "price-fallback: error: cannot start: Too many open files\n")
    }
}
