import Foundation
import PipeCommon
import TestSupport
import Testing

/// What `price-fallback` and its fetchers must survive. A test is named after its row in the README.
@Suite struct FallbackFaultTests {
    private let marked = MarkedProcesses()
    private let good = #"{"symbol":"BTCUSDT","price":"68901.23"}"#
    private let rescue = ShellSource.quoting("68890.00", as: "fallback")

    private func start(_ server: StubServer, _ words: String...) -> RunningProgram {
        let primary = "price-fetch --url \(server.url()) binance"
        return RunningProgram("price-fallback", words + [primary, rescue], environment: marked.environment)
    }

    private func answer(_ running: RunningProgram, _ tick: Int) throws -> Reading {
        running.write(#"{"tick":\#(tick)}"# + "\n")
        return try Reading(line: try #require(running.readLine()).utf8)
    }

    private var fetcher: Int32? {
        marked.living.first { $0.value.hasPrefix("price-fetch") }?.key
    }

    private func signalFetcher(_ signal: Int32) {
        for (process, command) in marked.living where command.hasPrefix("price-fetch") {
            kill(process, signal)
        }
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `1: a fetcher that is killed at any moment costs no tick, and is reaped`() throws {
        var random = SystemRandomNumberGenerator()
        let server = StubServer(StubServer.Answer.ok(good).after(.milliseconds(10)))
        for tick in 0..<FullSize.count(short: 20, full: 1000) {
            let running = start(server)
            running.waitUntil(within: .seconds(5)) { fetcher != nil }
            running.write(#"{"tick":\#(tick)}"# + "\n")
            usleep(UInt32.random(in: 0...30_000, using: &random))
            // When
            let killed = try #require(fetcher)
            kill(killed, SIGKILL)
            // Then
            let reading = try Reading(line: try #require(running.readLine()).utf8)
            #expect(reading.tick == tick && ["binance", "fallback"].contains(reading.source))
            #expect(running.waitUntil(within: .seconds(5)) { kill(killed, 0) == -1 })
            #expect(running.finish().status == 0)
        }
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `2: when price-fallback is killed its fetchers end at once, also in the middle of a request`() throws
    {
        let server = StubServer(.ok(good), .silence)
        let running = start(server, "--timeout", "20s", "--budget", "30s")
        #expect(try answer(running, 0).source == "binance")
        running.write(#"{"tick":1}"# + "\n")
        #expect(running.waitUntil(within: .seconds(5)) { server.requests.count == 2 })
        // When
        running.signal(SIGKILL)
        let killed = ContinuousClock.now
        // Then
        #expect(marked.areGone(within: .seconds(5)))
        #expect(ContinuousClock.now - killed < .seconds(1))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `4: a fetcher that traps is rescued as exited, without a backtrace, and is restarted`() throws {
        // Given a fetcher that waits for its answer
        let server = StubServer(.silence, .ok(good))
        let running = start(server, "--timeout", "9s", "--budget", "10s")
        running.write("{\"tick\":1}\n")
        #expect(running.waitUntil(within: .seconds(5)) { server.requests.count == 1 })
        // When it traps
        signalFetcher(SIGILL)
        // Then the fallback answers, and the restarted fetcher answers later ticks
        let first = try Reading(line: try #require(running.readLine()).utf8)
        #expect(first.quote?.price.text == "68890.00" && first.failures.map(\.kind) == [.exited])
        #expect(!running.errors.contains("Backtrac") && running.errors.split(separator: "\n").count <= 3)
        running.waitUntil(within: .milliseconds(1500)) { false }
        #expect(try answer(running, 2).quote?.price.text == "68901.23")
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `5: every tick of a stopped fetcher is rescued, and it is restarted after five`() throws {
        let server = StubServer(.ok(good))
        let running = start(server, "--timeout", "500ms", "--budget", "5s", "--trip", "0")
        #expect(try answer(running, 0).source == "binance")
        // When
        signalFetcher(SIGSTOP)
        // Then
        for tick in 1...5 { #expect(try answer(running, tick).source == "fallback") }
        #expect(running.errors(containing: "no answer to 5 ticks in a row; restarting"))
        running.waitUntil(within: .milliseconds(1500)) { false }
        #expect(try answer(running, 6).source == "binance")
        #expect(running.finish().status == 0 && server.requests.count == 2)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `5: a source that hangs again is restarted again`() throws {
        let deaf = "echo started >&2; exec sleep 60"
        let words = ["--timeout", "50ms", "--budget", "2s", "--trip", "0", deaf, rescue]
        let running = RunningProgram("price-fallback", words, environment: marked.environment)
        for tick in 0..<5 { #expect(try answer(running, tick).source == "fallback") }
        running.waitUntil(within: .milliseconds(1300)) { false }
        for tick in 5..<10 { #expect(try answer(running, tick).source == "fallback") }
        running.waitUntil(within: .milliseconds(2300)) {
            running.errors.components(separatedBy: "started\n").count > 3
        }
        #expect(running.errors.components(separatedBy: "started\n").count == 4)
    }

    @Test(arguments: ["no/such/source", "exit 3", "price-fetch nonsense 2>/dev/null"])
    func `35: a source that is not there or always fails costs no time, and is said once`(command: String)
        throws
    {
        let running = RunningProgram("price-fallback", [command, rescue])
        running.waitUntil(within: .milliseconds(300)) { false }
        let start = ContinuousClock.now
        for tick in 0..<8 {
            let reading = try answer(running, tick)
            #expect(reading.source == "fallback" && reading.failures.map(\.kind) == [.exited])
            running.waitUntil(within: .milliseconds(200)) { false }
        }
        #expect(ContinuousClock.now - start < .seconds(6))
        let result = running.finish()
        #expect(result.status == 0)
        #expect(result.errors.components(separatedBy: "price-fallback: warning: ").count == 2)
    }

    @Test(.enabled(if: FullSize.isWanted, "takes a minute; scripts/soak runs it"))
    func
        `21: after a minute the fallback can answer in the 200 ms that are left, over a connection that is open`()
        throws
    {
        // Given a fallback whose first request of a connection takes half a second
        let fallback = StubServer(
            StubServer.Answer.ok(#"{"data":{"amount":"1.00","base":"BTC","currency":"USD"}}"#).after(
                .milliseconds(500)),
            .ok(#"{"data":{"amount":"2.00","base":"BTC","currency":"USD"}}"#))
        let server = StubServer(.ok(good))
        let words = ["--url \(server.url()) binance", "--url \(fallback.url()) coinbase"].map {
            "price-fetch \($0)"
        }
        let running = RunningProgram("price-fallback", words)
        for tick in 0..<58 {
            #expect(try answer(running, tick).source == "binance")
            running.waitUntil(within: .seconds(1)) { false }
        }
        #expect(fallback.requests.count == 1)
        // When
        server.answer(with: .silence)
        // Then
        let rescued = try answer(running, 58)
        #expect(rescued.source == "coinbase" && rescued.quote?.price.text == "2.00")
        #expect(Set(fallback.requests.map(\.connection)).count == 1)
    }

    @Test
    func `32: without descriptors for all sources those that could be started answer, and no program traps`()
        throws
    {
        let command =
            """
            for n in {3..11}; do eval "exec $n>&-"; done; ulimit -n 12
            price-fallback --budget 300ms "$SOURCE" "$SOURCE" "$SOURCE" "$SOURCE"
            """
        let environment = ["SOURCE": ShellSource.quoting("1.00")]
        let result = RunningProgram.shell(command, input: "{}\n{}\n", environment: environment)
        #expect(result.status == 0)
        #expect(try result.lines.map { try Reading(line: $0.utf8).quote?.price.text } == ["1.00", "1.00"])
        #expect(result.errors.contains("cannot be started: Too many open files"))
        let none = RunningProgram.shell(
            command.replacing("-n 12", with: "-n 7"), input: "{}\n", environment: environment)
        #expect(none.status == 0)
        #expect(try Reading(line: none.lines[0].utf8).failures.first?.kind == .exited)
    }

    @Test func `32: with hardly a descriptor it says so, with status 74`() {
        let command = "for n in {3..11}; do eval \"exec $n>&-\"; done; ulimit -n 4; exec price-fallback cat"
        let result = RunningProgram.shell(command)
        #expect(result.status == 74)
        #expect(result.errors == "price-fallback: error: cannot start: Too many open files\n")
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `28: a signal ends it and its sources while its reader does not read`() throws {
        func living(_ command: String) -> Int32? {
            marked.living.first { $0.value.hasPrefix(command) }?.key
        }
        let source = ShellSource.quoting("1.00")
        let command = """
            price-clock --interval 2ms | price-fallback "$SOURCE" | sleep 30; echo ${PIPESTATUS[1]}
            """
        let running = RunningProgram(
            "bash", ["-c", command], environment: marked.environment.merging(["SOURCE": source]) { $1 })
        // Until its pipe is full
        running.waitUntil(within: .seconds(3)) { false }
        // When
        kill(try #require(living("price-fallback")), SIGTERM)
        // Then
        let isGone = running.waitUntil(within: .milliseconds(900)) {
            living("price-fallback") == nil && living("sh -c") == nil
        }
        #expect(isGone)
        kill(try #require(living("sleep 30")), SIGKILL)
        #expect(running.readLine() == "143")
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `8: an endless body is rescued each tick, the fetcher's memory is bounded, and it recovers`() throws
    {
        let server = StubServer(.endless)
        let running = start(server, "--timeout", "500ms", "--trip", "0")
        for tick in 0..<10 {
            #expect(try answer(running, tick).source == "fallback")
            for (process, command) in marked.living where command.hasPrefix("price-fetch") {
                #expect(marked.peakMemory(of: process) < 150 << 20)
            }
        }
        server.answer(with: .ok(good))
        let isBack = (10..<40).contains { tick in
            running.waitUntil(within: .milliseconds(300)) { false }
            return (try? answer(running, tick))?.source == "binance"
        }
        #expect(isBack)
    }

    @Test(.enabled(if: isLinux, "needs /proc"), arguments: [429, 418, 451])
    func `13 and 14: a source that refuses is left alone, although its fetcher is killed meanwhile`(
        status: Int
    ) throws {
        let server = StubServer(.status(status, headers: ["Retry-After: 120"]))
        let running = start(server)
        let kind: Failure.Kind = status == 451 ? .denied : .rateLimited
        #expect(try answer(running, 0).failures.map(\.kind) == [kind])
        // When
        signalFetcher(SIGKILL)
        #expect(running.errors(containing: "exited "))
        running.waitUntil(within: .milliseconds(1500)) { false }
        // Then nobody is asked, and the tick does not wait
        for tick in 1...5 {
            let reading = try answer(running, tick)
            #expect(reading.source == "fallback" && reading.failures.map(\.kind) == [kind])
            #expect(!reading.failures[0].message.isEmpty && reading.failures[0].retry == nil)
        }
        #expect(server.requests.count == 1)
    }

    @Test
    func
        `20: a primary that stays silent delays no line from the fourth tick on, and is back with its first answer`()
        throws
    {
        let server = StubServer(.silence)
        let running = start(server, "--timeout", "300ms", "--budget", "5s")
        for tick in 0..<3 { #expect(try answer(running, tick).source == "fallback") }
        // When
        let start = ContinuousClock.now
        for tick in 3..<6 { #expect(try answer(running, tick).source == "fallback") }
        // Then three lines take less than one of the primary's timeouts
        #expect(ContinuousClock.now - start < .milliseconds(300))
        server.answer(with: .ok(good))
        running.waitUntil(within: .milliseconds(500)) { false }
        _ = try answer(running, 6)
        running.waitUntil(within: .milliseconds(500)) { false }
        #expect(try answer(running, 7).source == "binance")
    }
}
