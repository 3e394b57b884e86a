import Foundation
import PipeCommon
import TestSupport
import Testing

/// What must be survived, tried on the built programs.
@Suite struct FaultTests {
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

    private func signalFetcher(_ signal: Int32) {
        for (process, command) in marked.living where command.hasPrefix("price-fetch") {
            kill(process, signal)
        }
    }

    @Test(
        .enabled(if: Programs.has("strace"), "needs strace"),
        arguments: ["openat", "write", "fsync", "rename"], [1, 2, 3])
    func `3: killed in the middle of a save, the stored quote is the old one or the new one`(
        call: String, when: Int
    ) throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/quote.json"
        let prices = ["1.00", "2.00"]
        _ = RunningProgram.run("price-cache", ["--file", path], input: quoteLine(prices[0]))
        // When
        let inject =
            "-qq -f -o /dev/null -P \(path).tmp -P \(path) -e inject=\(call):signal=KILL:when=\(when)"
        let command = "strace \(inject) price-cache --file \(path)"
        _ = RunningProgram.shell(command, input: quoteLine(prices[1], at: anyTime(1)))
        // Then
        let text = try #require(folder.contents("quote.json"))
        #expect(prices.contains { text.contains("\"value\":\"\($0)\"") } && text.hasSuffix("}\n"))
        _ = RunningProgram.run("price-cache", ["--file", path], input: quoteLine("3.00", at: anyTime(2)))
        #expect(
            folder.contents("quote.json")?.contains("3.00") == true
                && folder.contents("quote.json.tmp") == nil)
    }

    @Test(.enabled(if: Programs.has("strace"), "needs strace"))
    func `23: a disk that hangs delays no line`() throws {
        let folder = TemporaryFolder()
        let slow = "strace -qq -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=4000000"
        let command = "exec \(slow) price-cache --file \(folder.path)/quote.json"
        let running = RunningProgram("bash", ["-c", command])
        let start = ContinuousClock.now
        for tick in 0..<5 {
            running.write(quoteLine(tick: tick) + "\n")
            #expect(running.readLine() != nil)
        }
        #expect(ContinuousClock.now - start < .seconds(3))
        #expect(running.finish().status == 0)
    }

    @Test(.enabled(if: isLinux, "URLSession traps on Linux only"))
    func `4: a fetcher that traps is rescued as exited, without a backtrace, and is started again`() throws {
        let server = StubServer(.raw("HTTP/1.1 200 OK\r\nContent-Le"), .ok(good))
        let running = start(server, "--timeout", "9s", "--budget", "10s")
        let first = try answer(running, 1)
        #expect(first.quote?.price.text == "68890.00" && first.failures.map(\.kind) == [.exited])
        #expect(!running.errors.contains("Backtrac") && running.errors.split(separator: "\n").count <= 3)
        running.waitUntil(within: .milliseconds(1500)) { false }
        #expect(try answer(running, 2).quote?.price.text == "68901.23")
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `5: a stopped fetcher is rescued each tick, and started anew after five`() throws {
        let server = StubServer(.ok(good))
        let running = start(server, "--timeout", "500ms", "--budget", "5s", "--trip", "0")
        #expect(try answer(running, 0).source == "binance")
        // When
        signalFetcher(SIGSTOP)
        // Then
        for tick in 1...5 { #expect(try answer(running, tick).source == "fallback") }
        #expect(running.errors(containing: "hangs"))
        running.waitUntil(within: .milliseconds(1500)) { false }
        #expect(try answer(running, 6).source == "binance")
        #expect(running.finish().status == 0 && server.requests.count == 2)
        #expect(marked.areGone(within: .seconds(1)))
    }

    @Test(.enabled(if: isLinux, "needs /proc"))
    func `5: a source that hangs again is started anew again`() throws {
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

    @Test func `25: two pipelines on one stored file never tear it, nor take it back in time`() throws {
        let folder = TemporaryFolder()
        let path = "\(folder.path)/quote.json"
        let lines = (0..<300).map { quoteLine("\($0 + 1).00", tick: $0, at: anyTime($0)) }
        let writers = (0..<2).map { _ in RunningProgram("price-cache", ["--file", path]) }
        var newest = 0
        for line in lines {
            for writer in writers {
                writer.write(line + "\n")
                #expect(writer.readLine() != nil)
            }
            guard let text = folder.contents("quote.json") else { continue }
            let price = try Reading(line: text.dropLast().utf8).quote!.price.text
            let number = try #require(Int(price.dropLast(3)))
            #expect(number >= newest)
            newest = number
        }
        for writer in writers { #expect(writer.finish().status == 0) }
        #expect(folder.contents("quote.json")?.contains("\"300.00\"") == true)
        #expect(folder.contents("quote.json.tmp") == nil)
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
        #expect(running.errors(containing: "ended "))
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
