import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Faults that `price-cache` and its file must survive.
@Suite(.endToEnd) struct CacheFaultTests {
    private let folder = TemporaryFolder(inMemory: true)
    private var path: String { "\(folder.path)/quote.json" }
    private var draft: String { "\(folder.path)/.quote.json.btc-price.tmp" }

    /// Kills at a system call on the stored file or its draft, while 10 candles and a newer quote are added
    /// to 30 candles and a quote.
    @Test(
        .fault(3, 51), .enabled(if: Programs.has("strace"), "needs strace"),
        arguments: ["quote~1d.json", "quote.json"],
        [("openat", 1), ("openat", 2), ("write", 1), ("fsync", 1), ("rename", 1)])
    func `after a kill in the middle of a save, a file holds either its old or its new content`(
        name: String, call: (name: String, when: Int)
    ) throws {
        let cache = "price-cache --file \(path)"
        let lines = (0..<40).map {
            candleLine("\($0 + 1).00", day: $0) + "\n" + quoteLine("\($0 + 1).00", at: anyTime($0)) + "\n"
        }
        #expect(RunningProgram.shell(cache, input: lines[..<30].joined()).status == 0)
        let old = try #require(folder.contents(name))
        // When
        let files = "-P \(folder.path)/\(name) -P \(folder.path)/.\(name).btc-price.tmp"
        let inject = "-qq -f -o /dev/null \(files) -e inject=\(call.name):signal=KILL:when=\(call.when)"
        let result = RunningProgram.shell("strace \(inject) \(cache)", input: lines[30...].joined())
        // Then
        #expect(result.status == 128 + SIGKILL)
        let text = try #require(folder.contents(name))
        if name == "quote.json" {
            let price = try #require(try Reading(line: text.dropLast().utf8).quote).price.text
            #expect(text == old || (31...40).contains(Int(price.dropLast(3))!))
        } else {
            #expect(text.hasPrefix(old) && [30, 40].contains(text.split(separator: "\n").count))
        }
        // And the next run adds the rest and deletes the draft
        #expect(RunningProgram.shell(cache, input: lines.joined()).status == 0)
        #expect(folder.contents("quote~1d.json")?.split(separator: "\n").count == 40)
        #expect(folder.contents("quote.json")?.contains(#""40.00""#) == true)
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["quote.json", "quote~1d.json"])
    }

    @Test(.fault(3))
    func `after a kill at any moment the stored quote is intact, and the draft is deleted later`() throws {
        var random = SeededRandom(Seed.value)
        var newest = 0
        // The range of moments grows until even a slow machine stores something.
        var latest = UInt32(15_000)
        for run in 0..<FullSize.count(short: 40, full: 10_000) {
            let running = RunningProgram("price-cache", ["--file", path])
            let lines = (1...20).map { quoteLine("\(run * 20 + $0).00", at: anyTime(run * 20 + $0)) + "\n" }
            running.write(lines.joined())
            // When
            usleep(UInt32.random(in: 0...latest, using: &random))
            running.signal(SIGKILL)
            _ = running.result()
            // Then
            guard let text = folder.contents("quote.json") else {
                latest = min(latest + 5000, 500_000)
                continue
            }
            let stored = try #require(try Reading(line: text.dropLast().utf8).quote).price.text
            let number = try #require(Int(stored.dropLast(3)))
            #expect(number >= newest && number <= run * 20 + 20)
            newest = number
        }
        #expect(newest > 0)
        // And the next run replaces it
        let last = quoteLine("1.00", at: anyTime(1 << 30))
        #expect(RunningProgram.run("price-cache", ["--file", path], input: last).status == 0)
        #expect(folder.contents("quote.json")?.contains(#""1.00""#) == true)
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    /// Sends three quotes through a store that fails, and that already holds an older quote.
    private func save(in shell: String) -> (result: RunningProgram.Result, stored: String?) {
        _ = RunningProgram.run("price-cache", ["--file", path], input: quoteLine("1.00"))
        let input = (1...3).map { quoteLine("2.00", at: anyTime($0)) + "\n" }.joined()
        let result = RunningProgram.shell(shell, input: input, environment: ["FILE": path])
        return (result, folder.contents("quote.json"))
    }

    @Test(
        .fault(22),
        .enabled(if: Programs.has("strace"), "needs strace"),
        arguments: [
            ("openat:error=EROFS", "Read-only file system"), ("openat:error=EACCES", "Permission denied"),
            ("write:error=EIO:when=1..2", "Input/output error"),
            ("fsync:error=EIO:when=1..2", "Input/output error"),
            ("write:error=ENOSPC:when=1..2", "No space left on device"),
            ("rename:error=EIO:when=1..2", "Input/output error"),
        ])
    func `a failing disk is reported once, every line is written, and quotes are stored once it recovers`(
        fault: String, message: String
    ) {
        let inject = "-qq -f -o /dev/null -P '\(draft)' -e inject=\(fault)"
        let (result, stored) = save(in: "strace \(inject) price-cache --file \"$FILE\"")
        let isForAMoment = fault.contains("when")
        #expect(result.status == (isForAMoment ? 0 : 74) && result.lines.count == 3)
        #expect(result.errors == "price-cache: error: cannot write \(path): \(message)\n")
        #expect(stored?.contains(isForAMoment ? #""2.00""# : #""1.00""#) == true)
        #expect(!FileManager.default.fileExists(atPath: draft))
    }

    @Test(.fault(22), .enabled(if: Programs.canMount, "needs unshare, and the right to mount"))
    func `a temporarily full disk is reported once, and the rejected quote is stored at the end`() throws {
        let disk = "\(folder.path)/disk"
        let command = """
            unshare -rm sh -c 'mkdir \(disk); mount -t tmpfs -o size=8k none \(disk); cp "$FILE" \(disk)/quote.json
            head -c 4096 /dev/zero > \(disk)/full
            { until grep -q "No space" \(folder.path)/errors; do sleep 0.05; done; rm \(disk)/full; } &
            price-cache --file \(disk)/quote.json 2>\(folder.path)/errors; echo $?
            cat \(disk)/quote.json; ls -A \(disk)'
            """
        // When
        let (result, _) = save(in: command)
        // Then
        #expect(result.lines.count == 6 && result.lines.dropFirst(3).first == "0")
        #expect(result.lines.dropFirst(4).first?.contains(#""2.00""#) == true)
        #expect(result.lines.last == "quote.json")
        let warning = "price-cache: error: cannot write \(disk)/quote.json: No space left on device\n"
        #expect(folder.contents("errors") == warning)
    }

    @Test(.fault(25), .enabled(if: Programs.has("strace"), "needs strace"))
    func `concurrent writers on a slow disk lose nothing`() throws {
        let count = FullSize.count(short: 4, full: 10)
        let slow = "strace -qq -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=300000"
        let writers = (0..<count).map { day in
            let running = RunningProgram("bash", ["-c", "exec \(slow) price-cache --file \(path)"])
            running.write(candleLine(day: day) + "\n")
            running.closeInput()
            return running
        }
        for writer in writers { #expect(writer.result().status == 0) }
        #expect(folder.contents("quote~1d.json")?.split(separator: "\n").count == count)
    }

    @Test(.fault(23), .enabled(if: Programs.has("strace"), "needs strace"))
    func `a disk that hangs does not delay any line`() throws {
        let folder = TemporaryFolder(inMemory: true)
        // Given a disk on which a save takes four seconds
        let slow = "strace -qq -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter=4000000"
        let command = "exec \(slow) price-cache --file \(folder.path)/quote.json"
        let running = RunningProgram("bash", ["-c", command])
        // When
        let start = ContinuousClock.now
        for tick in 0..<5 {
            running.write(quoteLine(tick: tick) + "\n")
            #expect(running.readLine() != nil)
        }
        // Then
        #expect(ContinuousClock.now - start < .seconds(3))
        #expect(running.finish().status == 0)
        #expect(ContinuousClock.now - start > .seconds(4))
    }

    @Test(.fault(23), .enabled(if: Programs.has("strace"), "needs strace"))
    func `a stored quote that is loaded slowly is shown later and does not delay any line`() throws {
        // Given a disk on which loading takes two seconds
        _ = RunningProgram.run("price-cache", ["--file", path], input: quoteLine("1.00"))
        let slow = "strace -qq -f -o /dev/null -P \(path) -e inject=openat:delay_enter=2000000"
        let running = RunningProgram("bash", ["-c", "exec \(slow) price-cache --file \(path)"])
        func next(_ tick: Int) throws -> Reading {
            running.write(failureLine(tick: tick) + "\n")
            return try Reading(line: try #require(running.readLine()).utf8)
        }
        // When, then
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
        let warning = "still loading the stored quote for BTC-USD; the disk is slow\n"
        #expect(result.errors == "price-cache: warning: \(warning)")
    }

    /// In each run one system call fails, while 100 candles are loaded or saved together with a new one.
    @Test(
        .fault(60), .enabled(if: Programs.has("strace"), "needs strace"),
        arguments: [
            ("", "%file,%desc"), ("--answer", "openat,read,%stat"), ("--validate", "%file,%desc"),
        ])
    func `none of 100 stored candles is lost when one system call fails`(mode: String, calls: String) throws {
        let stored = try store100Candles()
        let paths = ["quote~1d.json", ".quote~1d.json.btc-price.tmp"].map { "-P \(folder.path)/\($0)" }
        let command = "price-cache --file \(path) \(mode)"
        let missing = Reading(answering: dayTick(0, day: -97), [anyFailure()]).text
        let input = mode == "" ? missing + "\n" + candleLine("7.00", day: 0) : dayTick(0, day: -97).text
        for error in ["EIO", "EMFILE"] {
            var number = FullSize.isWanted ? 1 : mode == "" ? 2 : 1
            while true {
                folder.write("quote~1d.json", stored)
                // When
                let trace = "-qq -f -o \(folder.path)/trace \(paths.joined(separator: " "))"
                let inject = "-e inject=\(calls):error=\(error):when=\(number)"
                let result = RunningProgram.shell("strace \(trace) \(inject) \(command)", input: input)
                // Then
                let text = folder.contents("quote~1d.json") ?? ""
                let place: Comment = "\(mode) \(error) \(number) \(folder.contents("trace") ?? "")"
                #expect(text.hasPrefix(stored), place)
                #expect(result.errors.split(separator: "\n").count <= (mode == "" ? 2 : 1), place)
                if mode == "" {
                    #expect(result.status == 0 && result.lines.count == 2, place)
                    #expect(text.split(separator: "\n").count == 101, place)
                }
                guard folder.contents("trace")?.contains("INJECTED") == true else { break }
                number += FullSize.count(short: 3, full: 1)
            }
        }
    }

    private func store100Candles() throws -> String {
        let days = (0..<100).map { candleLine("\($0 + 1).00", day: $0 - 100) + "\n" }
        #expect(RunningProgram.run("price-cache", ["--file", path], input: days.joined()).status == 0)
        return try #require(folder.contents("quote~1d.json"))
    }

    @Test(.fault(60), .enabled(if: Programs.has("strace"), "needs strace"))
    func `with --answer, a temporary error is not remembered`() throws {
        _ = try store100Candles()
        let inject = "-qq -o /dev/null -P \(folder.path)/quote~1d.json -e inject=openat:error=EMFILE:when=1"
        let ticks = (0..<2).map { dayTick($0, day: -97).text + "\n" }.joined()
        let result = RunningProgram.shell(
            "strace \(inject) price-cache --file \(path) --answer", input: ticks)
        #expect(result.lines.count == 2)
        #expect(result.lines.last?.contains(#""4.00""#) == true)
    }

    @Test(.fault(25))
    func `two pipelines with one stored file never damage it and never store an older quote`() throws {
        let folder = TemporaryFolder(inMemory: true)
        let path = "\(folder.path)/quote.json"
        let lines = (0..<300).map { quoteLine("\($0 + 1).00", tick: $0, at: anyTime($0)) }
        let writers = (0..<2).map { _ in RunningProgram("price-cache", ["--file", path]) }
        var newest = 0
        // When
        for line in lines {
            for writer in writers {
                writer.write(line + "\n")
                #expect(writer.readLine() != nil)
            }
            // Then
            guard let text = folder.contents("quote.json") else { continue }
            let price = try #require(try Reading(line: text.dropLast().utf8).quote).price.text
            let number = try #require(Int(price.dropLast(3)))
            #expect(number >= newest)
            newest = number
        }
        for writer in writers { #expect(writer.finish().status == 0) }
        #expect(folder.contents("quote.json")?.contains("\"300.00\"") == true)
        #expect(!FileManager.default.fileExists(atPath: draft))
    }
}
