import Foundation
import TestSupport
import TestTraits
import Testing

/// `btc-price` as process 1 of a container. Process 1 ignores SIGTERM, SIGINT and SIGHUP unless it handles
/// them.
@Suite(.endToEnd) struct ContainerFaultTests {
    private static let canContain =
        RunningProgram.run("unshare", ["-rpf", "--kill-child", "--mount-proc", "true"]).status == 0

    private let marked = MarkedProcesses()
    private let folder = TemporaryFolder()

    private func start(_ words: String..., source: String) -> RunningProgram {
        let script = Programs.folder.appending(path: "btc-price").path
        return RunningProgram(
            "unshare",
            ["-rpf", "--kill-child", "--mount-proc", script] + words + [
                "--primary", source, "--fallback", source,
            ],
            environment: marked.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
    }

    private func children(of process: Int32) -> [Int32] {
        processFile("task/\(process)/children", of: process).split(separator: " ").compactMap { Int32($0) }
    }

    @Test(
        .fault(46), .enabled(if: canContain, "needs unshare, and the right to use it"),
        arguments: [SIGTERM, SIGINT, SIGHUP])
    func `a signal to process 1 ends all processes of the container within a second`(signal: Int32) throws {
        let running = start("--interval", "30s", source: ShellSource.quoting("1.00"))
        #expect(running.readLine() != nil)
        // When
        kill(try #require(children(of: running.process).first), signal)
        // Then
        #expect(marked.areGone(within: .seconds(1)))
        #expect(running.result().status == 128 + signal && running.errors == "")
    }

    @Test(.fault(46), .enabled(if: canContain, "needs unshare, and the right to use it"))
    func `process 1 reaps orphaned processes`() throws {
        let orphan = "sh -c 'sleep 0.2 & echo left >&2'"
        let running = start("--interval", "200ms", source: "\(orphan); \(ShellSource.quoting("1.00"))")
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
}
