import Foundation
import TestSupport
import TestTraits
import Testing

/// Fetchers and other sources of `price-fallback` that are killed, trap, hang or keep exiting.
@Suite(.endToEnd) struct FetcherProcessFaultTests {
    private let fetch = FetchUnderTest()

    @Test(.fault(1), .enabled(if: isLinux, "needs /proc"))
    func `a fetcher that is killed at a random moment is reaped, and every tick is answered`() throws {
        var random = SeededRandom(Seed.value)
        let server = StubServer(StubServer.Answer.quote.after(.milliseconds(10)))
        for tick in 0..<FullSize.count(short: 20, full: 1000) {
            let running = fetch.startRescued(server.url())
            running.waitUntil(within: .seconds(5)) { !fetch.fetchers.isEmpty }
            running.write(#"{"tick":\#(tick)}"# + "\n")
            usleep(UInt32.random(in: 0...30_000, using: &random))
            // When the fetcher is killed, possibly during its request
            let killed = try #require(fetch.fetchers.first)
            kill(killed, SIGKILL)
            // Then the tick is answered, and the killed process is reaped
            let reading = try running.nextReading()
            #expect(reading.tick == tick && ["binance", "fallback"].contains(reading.source))
            #expect(running.waitUntil(within: .seconds(5)) { kill(killed, 0) == -1 })
            #expect(running.finish().status == 0)
        }
        #expect(fetch.marked.areGone(within: .seconds(1)))
    }

    @Test(.fault(2), .enabled(if: isLinux, "needs /proc"))
    func `when price-fallback is killed, its fetchers end promptly, even during a request`() throws {
        let server = StubServer(.quote, .silence)
        let running = fetch.startRescued(server.url(), "--timeout", "20s", "--budget", "30s")
        #expect(try running.answer(to: 0).source == "binance")
        running.write(#"{"tick":1}"# + "\n")
        #expect(running.waitUntil(within: .seconds(5)) { server.requests.count == 2 })
        // When price-fallback is killed during the second request
        running.signal(SIGKILL)
        let killed = ContinuousClock.now
        // Then all fetchers end within a second
        #expect(fetch.marked.areGone(within: .seconds(5)))
        #expect(ContinuousClock.now - killed < .seconds(1))
    }

    @Test(.fault(4), .enabled(if: isLinux, "needs /proc"))
    func `a fetcher that traps is reported as exited, without a backtrace, and is restarted`() throws {
        // Given a fetcher that waits for the server's answer
        let server = StubServer(.silence, .quote)
        let running = fetch.startRescued(server.url(), "--timeout", "9s", "--budget", "10s")
        running.write("{\"tick\":1}\n")
        #expect(running.waitUntil(within: .seconds(5)) { server.requests.count == 1 })
        // When the fetcher traps
        let trapped = fetch.signalFetchers(SIGILL)
        // Then the fallback answers, and the restarted fetcher answers later ticks
        let first = try running.nextReading()
        #expect(first.quote?.price.text == "68890.00" && first.failures.map(\.kind) == [.exited])
        #expect(!running.errors.contains("Backtrac") && running.errors.split(separator: "\n").count <= 3)
        #expect(fetch.isReplaced(trapped, by: running))
        #expect(try running.answer(to: 2).quote?.price.text == "68901.23")
    }

    @Test(.fault(1))
    func `if a source keeps exiting, the pauses before restarts grow, and no answer is late`() throws {
        let start = ContinuousClock.now
        let words = ["--budget", "300ms", "echo started >&2; exit 3", ShellSource.silent]
        let running = RunningProgram("price-fallback", words)
        #expect(isStarted(3, running))
        let started = ContinuousClock.now
        #expect(started - start >= .seconds(3))
        // When a tick comes while the next restart is still four seconds away
        #expect(try running.answer().failures.map(\.kind) == [.exited, .timeout])
        // Then the answer has not waited for the restart
        #expect(ContinuousClock.now - started < .seconds(2))
    }

    @Test func `restarting a source that ended does not leak file descriptors`() throws {
        // Given a source that ends after it answers one tick, and that has been restarted once
        let loop = ShellSource.quoting("1.00", as: "primary")
        let source = "echo started >&2; " + loop.replacing("done", with: "break; done")
        let running = RunningProgram("price-fallback", ["--trip", "0", source, FetchUnderTest.rescue])
        #expect(try running.answer().source == "primary")
        #expect(isStarted(2, running))
        let descriptors = running.descriptors
        // When the source ends and is restarted again
        #expect(try running.answer(to: 1).source == "primary")
        #expect(isStarted(3, running))
        // Then as many file descriptors are open as before
        #expect(running.waitUntil { running.descriptors == descriptors })
    }

    @Test(.fault(5, 34), arguments: [250, 1])
    func `a source that reads nothing is restarted every five beats while a fallback answers`(
        count: Int
    ) throws {
        let deaf = "echo started >&2; exec sleep 60"
        let words = ["--timeout", "50ms", "--budget", "20s", "--trip", "0", deaf, FetchUnderTest.rescue]
        let running = RunningProgram("price-fallback", words)
        #expect(isStarted(1, running))
        // With 250 symbols, the unread ticks also fill the source's pipe.
        let symbols = (0..<count).map { "A-LONG-NAME-FOR-A-SYMBOL-\($0)" }
        for beat in 0..<10 {
            #expect(running.errors.contains("restarting") == (beat >= 5))
            running.write(symbols.map { #"{"tick":\#(beat),"symbol":"\#($0)"}"# + "\n" }.joined())
            let readings = try symbols.map { _ in try running.nextReading() }
            #expect(readings.allSatisfy { $0.source == "fallback" })
            if beat == 4 {
                #expect(running.errors(containing: "source 1: no answer in 5 beats in a row; restarting"))
                #expect(isStarted(2, running))
            }
        }
        #expect(isStarted(3, running))
    }

    @Test(.fault(34)) func `a source that writes only invalid lines is terminated and restarted`() {
        let running = RunningProgram("price-fallback", ["echo started >&2; exec yes {"])
        #expect(running.errors(containing: "source 1: only invalid output; restarting"))
        #expect(isStarted(2, running))
    }

    @Test(.fault(42), .enabled(if: canProtect, "needs root, setpriv and /proc"))
    func `a source that cannot be killed is abandoned and is reaped after it ends`() throws {
        // Given a source that price-fallback is not allowed to kill because the source runs as another user
        let folder = TemporaryFolder()
        chmod(folder.path, 0o755)
        let protect = "\(folder.path)/setpriv"
        let copied = RunningProgram.shell("cp $(command -v setpriv) \(protect) && chmod 4755 \(protect)")
        #expect(copied.status == 0)
        let source = "exec \(protect) --reuid 0 sleep 600"
        let words = ["--timeout", "100ms", "--budget", "5s", "--trip", "0", source, FetchUnderTest.rescue]
        let running = fetch.start(
            ["setpriv", "--reuid", "65534", "--clear-groups", "price-fallback"] + words)
        func sleepers() -> [Int32] { fetch.marked.living.filter { $0.value.hasPrefix("sleep") }.map(\.key) }
        defer { for sleeper in sleepers() { kill(sleeper, SIGKILL) } }
        #expect(running.waitUntil { sleepers().count == 1 })
        let first = sleepers()
        // When price-fallback tries to restart the source
        var slowest = Duration.zero
        for tick in 0..<10 {
            let start = ContinuousClock.now
            #expect(try running.answer(to: tick).source == "fallback")
            slowest = max(slowest, ContinuousClock.now - start)
        }
        #expect(running.waitUntil { sleepers().count > 1 })
        #expect(Set(sleepers()).isSuperset(of: first))
        // Then no line is late, and the abandoned process is reaped soon after it ends
        #expect(slowest < .milliseconds(500), "\(slowest)")
        for sleeper in first { kill(sleeper, SIGKILL) }
        for tick in 10..<15 { #expect(try running.answer(to: tick).source == "fallback") }
        #expect(running.waitUntil { first.allSatisfy { kill($0, 0) != 0 } })
        #expect(running.finish().status == 0)
    }

    private static let canProtect = geteuid() == 0 && isLinux && Programs.has("setpriv")

    /// Whether a source is started at least `count` times before `patience` runs out. The source must print
    /// `started` to standard error at each start.
    private func isStarted(_ count: Int, _ running: RunningProgram) -> Bool {
        running.waitUntil { running.errors.components(separatedBy: "started\n").count - 1 >= count }
    }
}
