import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Faults that `price-cache` and its file must survive.
@Suite(.endToEnd) struct CacheFaultTests {
    private let folder = TemporaryFolder(inMemory: true)
    private let tracing = TemporaryFolder(inMemory: true)
    private var path: String { "\(folder.path)/quote.json" }
    /// The name of the draft: the temporary file to which a new version of the stored quote is written.
    private static let draft = ".quote.json.btc-price.tmp"
    private static let hasTracer = ConditionTrait.enabled(if: Programs.has("strace"), "needs strace")

    private func cache(_ lines: String) -> RunningProgram.Result {
        RunningProgram.run("price-cache", ["--file", path], input: lines)
    }

    /// A shell command that runs `price-cache` while strace injects a fault into its system calls: an error,
    /// a delay or a signal. If files are given, only calls on these files are affected.
    private func cache(injecting fault: String, into files: String..., options: String = "") -> String {
        let places = files.map { "-P \(folder.path)/\($0) " }.joined()
        let calls = fault.prefix { $0 != ":" }
        return """
            exec strace -qq -f -o \(tracing.path)/log \(places) -e trace=\(calls) -e inject=\(fault) \
            price-cache --file \(path) \(options)
            """
    }

    /// The integer part of the stored quote's price; nil if no quote is stored.
    private func storedNumber() throws -> Int? {
        guard let text = folder.contents("quote.json") else { return nil }
        let price = try #require(try Reading(line: text.dropLast().utf8).quote).price.text
        let number: Int = try #require(Int(price.dropLast(3)))
        return number
    }

    private func expectFiles(_ names: String...) throws {
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == names)
    }

    /// Each run begins with 30 stored candles and a stored quote. While `price-cache` adds 10 candles and
    /// replaces the quote, it is killed at a system call on one of the two files or on that file's draft.
    @Test(
        .fault(3, 51), hasTracer, arguments: ["quote~1d.json", "quote.json"],
        [("openat", 1), ("openat", 2), ("write", 1), ("fsync", 1), ("rename", 1)])
    func `after price-cache is killed during a save, the file contains either the old or the new data`(
        name: String, call: (name: String, when: Int)
    ) throws {
        let lines = (0..<40).map {
            candleLine("\($0 + 1).00", day: $0) + "\n" + quoteLine("\($0 + 1).00", at: anyTime($0)) + "\n"
        }
        #expect(cache(lines[..<30].joined()).status == 0)
        let old = try #require(folder.contents(name))
        // When `price-cache` is killed at the system call
        let killed = cache(
            injecting: "\(call.name):signal=KILL:when=\(call.when)", into: name, ".\(name).btc-price.tmp")
        let result = RunningProgram.shell(killed, input: lines[30...].joined())
        // Then the file contains the old data, possibly followed or replaced by new data
        #expect(result.status == 128 + SIGKILL)
        let text = try #require(folder.contents(name))
        if name == "quote.json" {
            let number = try storedNumber() ?? 0
            #expect(text == old || (31...40).contains(number))
        } else {
            #expect(text.hasPrefix(old) && [30, 40].contains(text.split(separator: "\n").count))
        }
        // And the next run adds the missing candles and deletes the draft
        #expect(cache(lines.joined()).status == 0)
        #expect(folder.contents("quote~1d.json")?.split(separator: "\n").count == 40)
        #expect(try storedNumber() == 40)
        try expectFiles("quote.json", "quote~1d.json")
    }

    @Test(.fault(3))
    func `a kill never damages the stored quote, and the next run deletes the temporary file`() throws {
        var random = SeededRandom(Seed.value)
        var newest = 0
        // The longest wait before the kill, in microseconds. On a slow machine, this limit is raised until a
        // quote is stored before the kill.
        var latest = UInt32(15_000)
        for run in 0..<FullSize.count(short: 40, full: 10_000) {
            let running = RunningProgram("price-cache", ["--file", path])
            let lines = (1...20).map { quoteLine("\(run * 20 + $0).00", at: anyTime(run * 20 + $0)) + "\n" }
            running.write(lines.joined())
            // When the process is killed at a random moment
            usleep(UInt32.random(in: 0...latest, using: &random))
            running.signal(SIGKILL)
            _ = running.result()
            // Then the stored quote, if any, is readable and at least as new as before
            guard let number = try storedNumber() else {
                latest = min(latest + 5000, 500_000)
                continue
            }
            #expect(number >= newest && number <= run * 20 + 20)
            newest = number
        }
        #expect(newest > 0)
        // And the next run replaces the stored quote
        #expect(cache(quoteLine("1.00", at: anyTime(1 << 30))).status == 0)
        #expect(try storedNumber() == 1)
        try expectFiles("quote.json")
    }

    @Test(
        .fault(22), hasTracer,
        arguments: [
            ("openat:error=EROFS", "Read-only file system"), ("openat:error=EACCES", "Permission denied"),
            ("write:error=EIO:when=1..2", "Input/output error"),
            ("fsync:error=EIO:when=1..2", "Input/output error"),
            ("write:error=ENOSPC:when=1..2", "No space left on device"),
            ("rename:error=EIO:when=1..2", "Input/output error"),
        ])
    func `a failing or full disk is reported once, and every line is still printed`(
        fault: String, message: String
    ) throws {
        _ = cache(quoteLine("1.00"))
        let lines = (1...3).map { quoteLine("2.00", at: anyTime($0)) + "\n" }
        let failing = cache(injecting: fault, into: Self.draft)
        let result = RunningProgram.shell(failing, input: lines.joined())
        let isForAMoment = fault.contains("when")
        #expect(result.status == (isForAMoment ? 0 : 74) && result.lines.count == 3)
        #expect(result.errors == "price-cache: error: cannot write \(path): \(message)\n")
        #expect(try storedNumber() == (isForAMoment ? 2 : 1))
        try expectFiles("quote.json")
    }

    @Test(.fault(25), hasTracer) func `concurrent writers on a slow disk do not lose any candle`() throws {
        let count = FullSize.count(short: 4, full: 10)
        let writers = (0..<count).map { day in
            let running = RunningProgram("bash", ["-c", cache(injecting: "fsync:delay_enter=300000")])
            running.write(candleLine(day: day) + "\n")
            running.closeInput()
            return running
        }
        for writer in writers { #expect(writer.result().status == 0) }
        #expect(folder.contents("quote~1d.json")?.split(separator: "\n").count == count)
    }

    @Test(.fault(23), hasTracer) func `a disk that hangs during a save does not delay any line`() throws {
        // Given a disk on which a save takes four seconds
        let running = RunningProgram("bash", ["-c", cache(injecting: "fsync:delay_enter=4000000")])
        // When five readings with quotes arrive
        let start = ContinuousClock.now
        for tick in 0..<5 {
            running.write(quoteLine(tick: tick) + "\n")
            #expect(running.readLine() != nil)
        }
        // Then all lines are printed before the first save is finished
        #expect(ContinuousClock.now - start < .seconds(3))
        #expect(running.finish().status == 0)
        #expect(ContinuousClock.now - start > .seconds(4))
    }

    @Test(.fault(23), hasTracer)
    func `while a stored quote is being loaded from a slow disk, lines are printed without a quote`() throws {
        // Given a disk on which loading takes two seconds
        _ = cache(quoteLine("1.00"))
        let slow = cache(injecting: "openat:delay_enter=2000000", into: "quote.json")
        let running = RunningProgram("bash", ["-c", slow])
        func next(_ tick: Int) throws -> Reading {
            running.write(failureLine(tick: tick) + "\n")
            return try running.nextReading()
        }
        // Then the first readings are printed without a quote, and later readings with the stored quote
        let start = ContinuousClock.now
        for tick in 0..<5 { #expect(try next(tick).quote == nil) }
        #expect(ContinuousClock.now - start < .milliseconds(1500))
        let isShown = try (5..<200).contains { tick in
            running.wait(.milliseconds(50))
            return try next(tick).quote?.price.text == "1.00"
        }
        #expect(isShown)
        // And the slow disk is reported once
        let result = running.finish()
        #expect(result.status == 0)
        let warning = "loading stored quotes is taking longer than a second; the disk is slow\n"
        #expect(result.errors == "price-cache: warning: \(warning)")
    }

    @Test(
        .fault(23), hasTracer,
        arguments: [
            (quoteLine("1.00"), failureLine(), "quote.json", "--require-quote"),
            (candleLine("1.00"), Reading(answering: dayTick(12), [anyFailure()]).text, "quote~1d.json", ""),
        ])
    func `price-cache waits for a slow disk if --require-quote is set or a tick requests a candle`(
        stored: String, missing: String, file: String, option: String
    ) throws {
        // Given a disk on which loading takes 0.2 seconds
        _ = cache(stored)
        let slow = cache(injecting: "openat:delay_enter=200000", into: file, options: option)
        // When a reading without a quote arrives
        let result = RunningProgram.shell(slow, input: missing)
        // Then the reading gets the stored quote, and no warning is printed
        #expect(try result.readings().map { $0.quote?.price.text } == ["1.00"])
        #expect(result.errors == "" && result.status == 0)
    }

    /// In each run, one system call fails while 100 stored candles are loaded, validated, or saved together
    /// with a new candle.
    @Test(
        .fault(60), hasTracer,
        arguments: [("", "%file,%desc"), ("--answer", "openat,read,%stat"), ("--validate", "%file,%desc")])
    func `none of 100 stored candles is lost when one system call fails`(mode: String, calls: String) throws {
        let stored = try store100Candles()
        let missing = Reading(answering: dayTick(0, day: -97), [anyFailure()]).text
        let input = mode == "" ? missing + "\n" + candleLine("7.00", day: 0) : dayTick(0, day: -97).text
        for error in ["EIO", "EMFILE"] {
            var number = FullSize.isWanted ? 1 : mode == "" ? 2 : 1
            while true {
                folder.write("quote~1d.json", stored)
                // When one system call fails
                let fault = "\(calls):error=\(error):when=\(number)"
                let failing = cache(
                    injecting: fault, into: "quote~1d.json", ".quote~1d.json.btc-price.tmp", options: mode)
                let result = RunningProgram.shell(failing, input: input)
                // Then the file still contains all stored candles, and at most two errors are reported
                let text = folder.contents("quote~1d.json") ?? ""
                let log = tracing.contents("log") ?? ""
                let place: Comment = "\(mode) \(error) \(number) \(log)"
                #expect(text.hasPrefix(stored), place)
                #expect(result.errors.split(separator: "\n").count <= (mode == "" ? 2 : 1), place)
                if mode == "" {
                    #expect(result.status == 0 && result.lines.count == 2, place)
                    #expect(text.split(separator: "\n").count == 101, place)
                }
                guard log.contains("INJECTED") else { break }
                number += FullSize.isWanted ? 1 : 3
            }
        }
    }

    private func store100Candles() throws -> String {
        let days = (0..<100).map { candleLine("\($0 + 1).00", day: $0 - 100) + "\n" }
        #expect(cache(days.joined()).status == 0)
        return try #require(folder.contents("quote~1d.json"))
    }

    @Test(.fault(60), hasTracer)
    func `with --answer, stored candles that could not be loaded are loaded at the next tick`() throws {
        _ = try store100Candles()
        let ticks = (0..<2).map { dayTick($0, day: -97).text + "\n" }.joined()
        let failing = cache(
            injecting: "openat:error=EMFILE:when=1", into: "quote~1d.json", options: "--answer")
        let result = RunningProgram.shell(failing, input: ticks)
        #expect(result.lines.count == 2)
        #expect(result.lines.last?.contains(#""4.00""#) == true)
    }

    @Test(.fault(25))
    func `two processes that share a file never replace a quote with an older quote`() throws {
        let writers = (0..<2).map { _ in RunningProgram("price-cache", ["--file", path]) }
        var newest = 0
        for number in 1...300 {
            // When both processes get the same newer quote
            for writer in writers {
                writer.write(quoteLine("\(number).00", tick: number, at: anyTime(number)) + "\n")
                #expect(writer.readLine() != nil)
            }
            // Then the stored quote is at least as new as before
            let stored = try storedNumber() ?? newest
            #expect(stored >= newest)
            newest = stored
        }
        for writer in writers { #expect(writer.finish().status == 0) }
        #expect(try storedNumber() == 300)
        try expectFiles("quote.json")
    }
}
