import Foundation
import Synchronization
import TestSupport
import Testing

/// Notices when the machine, one of its processors or a session stands still for more than 0.6 seconds. A virtual
/// machine sometimes stands still. If Linux schedules each session as a group (autogroup) and one session is busy, then
/// another session, for example the session of a test's terminal, may not get a processor for several seconds. During a
/// standstill, a test that measures real time can fail although the programs work.
enum Standstill {
    /// Each watching process writes its own file here ten times a second. A process that is late also writes the file
    /// `late`.
    private static let folder = TemporaryFolder(inMemory: true)

    /// On each processor, one process watches the session of this run, and another process watches a session of its
    /// own. They use the wall clock, which shows a standstill even if the machine's other clocks stand still as well.
    /// When this run ends, the input of these processes ends, and they exit.
    private static let watch: Void = {
        let watching = """
            exec >/dev/null 2>&1
            cd \(folder.path) && taskset -pc $1 $$
            now=${EPOCHREALTIME/./}
            while read -rt .1; (($? > 128)); do
                last=$now now=${EPOCHREALTIME/./}
                if ((now - last > 600000)); then : >late; fi
                : >$1$2
            done
            rm -rf \(folder.path)
            """
        for processor in 0..<ProcessInfo.processInfo.processorCount {
            let words = ["bash", "-c", watching, "-", "\(processor)"]
            for words in [words, ["setsid"] + words + [".session"]] {
                _ = Unmanaged.passRetained(RunningProgram("/usr/bin/env", words))
            }
        }
    }()

    /// Whether a watching process was late after `start` or is late now.
    private static func wasNoticed(since start: Date) -> Bool {
        let files = FileManager.default.enumerator(atPath: folder.path)
        while let name = files?.nextObject() as? String {
            guard let time = files?.fileAttributes?[.modificationDate] as? Date else { continue }
            if name == "late" ? time > start : time.timeIntervalSinceNow < -0.6 { return true }
        }
        return false
    }

    /// Runs a test. If the test fails and a standstill was noticed since the test began, runs the test once more; then
    /// only the result of the second run counts.
    static func repeating(_ body: @Sendable () async throws -> Void) async throws {
        _ = watch
        let start = Date.now
        let isVoid = Mutex<Bool?>(nil)
        try await withKnownIssue("the machine stood still, so this test is repeated", isIntermittent: true) {
            try await body()
        } matching: { _ in
            // The first issue decides whether the test is repeated. This thread sleeps before the check, because after
            // a standstill, a watching process may wake up later than this thread.
            isVoid.withLock {
                if $0 == nil { Thread.sleep(forTimeInterval: 0.3) }
                $0 = $0 ?? wasNoticed(since: start)
                return $0!
            }
        }
        if isVoid.withLock({ $0 }) == true { try await body() }
    }
}
