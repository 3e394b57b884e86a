import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Standard error that nobody reads, for a while or forever, and the logs that sources write to it.
@Suite(.endToEnd) struct StandardErrorFaultTests {
    private let folder = TemporaryFolder()
    private var errors: String { "\(folder.path)/errors" }

    /// Starts a program whose standard error is a pipe. Only `readErrors` reads this pipe.
    private func start(_ program: String, _ arguments: [String]) -> RunningProgram {
        let script = #"mkfifo "$0" && exec 2<>"$0" && exec "$@""#
        return RunningProgram("bash", ["-c", script, errors, program] + arguments)
    }

    /// Reads the lines that are waiting in the standard-error pipe and returns them.
    private func readErrors() throws -> [Substring] {
        let descriptor = open(errors, O_RDONLY | O_NONBLOCK)
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        while let more = try readAvailable(descriptor), !more.isEmpty { bytes += more }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    }

    @Test(.fault(40), arguments: FilterUnderTest.all)
    func `unread diagnostics do not block a filter, which later reports how many were discarded`(
        filter: FilterUnderTest
    ) throws {
        // Given so many bad lines that the standard-error pipe cannot hold all diagnostics
        let running = start(filter.program, filter.arguments)
        running.write(String(repeating: "garbage\n", count: 3000) + filter.good(1) + "\n")
        #expect(running.readLine() != nil)
        let reported = try readErrors().count
        #expect(reported > 100 && reported < 3000)
        // When standard error has been read and another bad line arrives
        running.write("garbage\n" + filter.good(2) + "\n")
        #expect(running.readLine() != nil)
        // Then
        let last = try readErrors()
        let discarded = "\(3000 - reported) diagnostics were discarded: standard error was not being read"
        #expect(last.count == 2 && last.first == "\(filter.program): warning: \(discarded)")
        #expect(last.last?.hasPrefix("\(filter.program): warning: line 3002: ") == true)
        #expect(running.finish().status == 65)
    }

    @Test(.fault(40)) func `every tick is answered even if nobody reads the logs of the sources`() throws {
        // Given a source that never stops logging, and a source that logs 300 KB for each tick
        let log = #"do head -c 300000 /dev/zero | tr '\0' '\n' >&2; printf"#
        let source = ShellSource.quoting("1.00", as: "logging").replacing("do printf", with: log)
        let limits = ["--timeout", "100ms", "--budget", "20s"]
        let running = start("price-fallback", limits + ["exec yes >&2", source])
        // Then
        for tick in 0..<10 { #expect(try running.answer(to: tick).source == "logging") }
        #expect(running.finish().status == 0)
    }

    @Test func `the logs of sources are passed on line by line, including a last line without a newline`() {
        // Given two sources that log at the same time, the first of which ends its log without a newline
        let log = { (name: String) in "for n in $(seq 2000); do echo \(name) $n >&2; done" }
        let sources = ["\(log("a")); cat; printf 'a end' >&2", "\(log("b")); cat"]
        let running = RunningProgram("price-fallback", sources)
        #expect(running.errors(containing: "a 2000\n") && running.errors(containing: "b 2000\n"))
        // When
        let lines = running.finish().errors.split(separator: "\n")
        // Then
        let expected = (1...2000).map(String.init)
        #expect(lines.filter { $0.hasPrefix("a ") }.map { String($0.dropFirst(2)) } == expected + ["end"])
        #expect(lines.filter { $0.hasPrefix("b ") }.map { String($0.dropFirst(2)) } == expected)
        #expect(lines.count == 4001)
    }

    @Test func `a long log line of a source is passed on as a single line`() {
        let running = RunningProgram(
            "price-fallback", ["head -c 20000 /dev/zero | tr '\\0' x >&2; echo end >&2; cat"])
        #expect(running.errors(containing: "end\n"))
        #expect(running.finish().errors == String(repeating: "x", count: 20_000) + "end\n")
    }
}
