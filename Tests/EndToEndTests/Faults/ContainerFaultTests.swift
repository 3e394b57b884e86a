import Foundation
import TestSupport
import TestTraits
import Testing

/// Programs that run as process 1 of a container. Process 1 ignores SIGTERM, SIGINT and SIGHUP unless it handles them.
@Suite(.endToEnd, .enabled(if: Programs.canContain, "needs unshare, and the right to use it"))
struct ContainerFaultTests {
    private let marked = MarkedProcesses()
    private let folder = TemporaryFolder()

    private static func pipeline(_ interval: String, _ source: String) -> [String] {
        ["btc-price", "--interval", interval, "--primary", source, "--fallback", source]
    }

    private func start(_ words: [String]) -> RunningProgram {
        let program = Programs.folder.appending(path: words[0]).path
        let words = ["-rpf", "--kill-child", "--mount-proc", program] + words.dropFirst()
        let environment = marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 }
        return RunningProgram("unshare", words, environment: environment)
    }

    private func children(of process: Int32) -> [Int32] {
        processFile("task/\(process)/children", of: process).split(separator: " ").compactMap { Int32($0) }
    }

    private static let source = ShellSource.quoting("1.00")

    @Test(
        .fault(46), arguments: [pipeline("30s", source), ["price-fallback", source]],
        [SIGTERM, SIGINT, SIGHUP])
    func `a signal to process 1 ends its container within a second`(words: [String], signal: Int32) throws {
        let running = start(words)
        running.write("{\"tick\":0}\n")
        #expect(running.readLine() != nil)
        // When process 1 of the container, which is the child of unshare, gets the signal
        kill(try #require(children(of: running.process).first), signal)
        // Then all processes end, and the exit status reports the signal
        #expect(marked.areGone(within: .seconds(1)))
        #expect(running.result().status == 128 + signal && running.errors == "")
    }

    @Test(.fault(46)) func `process 1 reaps orphaned processes`() throws {
        let orphan = "sh -c 'sleep 0.2 & echo left >&2'"
        let running = start(Self.pipeline("200ms", "\(orphan); \(Self.source)"))
        #expect(running.errors(containing: "left"))
        for _ in 0..<4 { #expect(running.readLine() != nil) }
        let first = try #require(children(of: running.process).first)
        let states = { children(of: first).map { processFile("status", of: $0) } }
        #expect(running.waitUntil(within: .seconds(5)) { !states().joined().contains("\nState:\tZ") })
        // And the pipeline keeps running
        #expect(running.readLine() != nil)
        kill(first, SIGTERM)
        #expect(running.result().status == 143)
    }

    @Test func `a source's shell does not report that its command was killed at the end`() throws {
        let last = "/proc/sys/kernel/ns_last_pid"
        // Given a shell with the process ID 301, a command with 101, and fifty others in between
        let others = "echo 200 >\(last); for i in $(seq 50); do sleep 60 & done"
        let shell = "\(others); echo 100 >\(last); echo ready >&2; sleep 60; :"
        let source = "echo 300 >\(last); (\(shell)) & exec sleep 60 >/dev/null 2>&1"
        let running = start(["price-fallback", "--timeout", "60s", "--budget", "60s", source])
        running.write("{\"tick\":0}\n")
        #expect(running.errors(containing: "ready"))
        // When the program and its sources end
        kill(try #require(children(of: running.process).first), SIGTERM)
        // Then the shell does not report that its command was killed
        #expect(running.result().status == 143 && running.errors == "ready\n")
    }
}
