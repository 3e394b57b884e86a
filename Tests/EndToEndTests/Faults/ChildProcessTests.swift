import Foundation
import TestSupport
import TestTraits
import Testing

@testable import PipeCommon

/// `ChildProcess`, tested with real shell commands.
@Suite(.endToEnd, .serialized) struct ChildProcessTests {
    init() {
        signal(SIGPIPE, SIG_IGN)
    }

    /// Waits for the next line of the command's output and returns it, or nil at the end of the output.
    private func line(of child: ChildProcess) -> String? {
        while true {
            if case .text(let bytes)? = child.nextLine() { return String(decoding: bytes, as: UTF8.self) }
            guard child.read() else { return nil }
        }
    }

    @Test func `if one call sends many lines to a command that copies its input, every line comes back`()
        throws
    {
        let lines = (0..<80).map { "\($0) " + String(repeating: "x", count: $0 % 90) }
        let sut = try ChildProcess(command: "cat")
        #expect(sut.send(lines.flatMap { Array("\($0)\n".utf8) }) == .sent)
        #expect(lines.map { _ in line(of: sut) } == lines)
        #expect(sut.end().words == "ended by signal 9")
    }

    @Test func `send returns .blocked once the pipe is full and .closed once the command has ended`() throws {
        // When a command does not read its input
        let deaf = try ChildProcess(command: "sleep 60")
        let long = [UInt8](repeating: 0x78, count: 4000)
        var results: [ChildProcess.SendResult] = []
        while results.last != .blocked, results.count < 1000 { results.append(deaf.send(long)) }
        // Then its pipe fills up after a while
        #expect(results.last == .blocked && results.dropLast().allSatisfy { $0 == .sent })
        #expect(deaf.end().words == "ended by signal 9")

        // When a command has ended
        let gone = try ChildProcess(command: "exit 3")
        #expect(line(of: gone) == nil)
        // Then its pipe is closed
        let deadline = Deadline(in: .seconds(20))
        while gone.send([0x0A]) != .closed, !deadline.hasPassed() { usleep(100) }
        #expect(gone.send([0x0A]) == .closed)
        #expect(gone.end().words == "exited with status 3")
    }

    @Test(
        .enabled(if: Programs.has("perl"), "needs perl"),
        arguments: [["price-fetch", "--stream", "exit 3", "--price", "/c"], ["price-fallback", "exit 3"]])
    func `a command's exit status is reported even if the caller ignores SIGCHLD`(words: [String]) throws {
        let running = RunningProgram("perl", ["-e", "$SIG{CHLD} = 'IGNORE'; exec @ARGV"] + words)
        #expect(try running.failure().message.hasPrefix("exited with status 3"))
    }

    @Test func `a process that could not be killed at first is reaped once it has ended`() throws {
        let stubborn = try ChildProcess(command: "exec sleep 60")
        // Nothing has killed the process yet, so it looks like a process that cannot be killed.
        #expect(ChildProcess.reap(stubborn.id, within: .milliseconds(20)) == nil)
        kill(stubborn.id, SIGKILL)
        let deadline = Deadline(in: .seconds(20))
        while kill(stubborn.id, 0) == 0, !deadline.hasPassed() { ChildProcess.reapAbandoned() }
        #expect(!deadline.hasPassed())
    }
}
