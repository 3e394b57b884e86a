import Dispatch
import Foundation

/// The threads of the tests that start programs. These tests mostly wait, so there may be more threads than
/// processors.
final class EndToEndThreads: TaskExecutor {
    static let shared = EndToEndThreads(count: 8)
    /// For suites with a long test: see `TimeLimit.long`.
    static let long = EndToEndThreads(count: 2)

    private let queue = DispatchQueue(label: "end-to-end tests", attributes: .concurrent)
    private let free: DispatchSemaphore
    private let turns = DispatchQueue(label: "turns of end-to-end tests")

    private init(count: Int) {
        free = DispatchSemaphore(value: count)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        turns.async {
            self.free.wait()
            Self.waitWhileBusy()
            self.queue.async {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.free.signal()
            }
        }
    }

    /// Waits up to two seconds while far more processes are ready to run than there are processors. A pipeline that
    /// starts under this load might miss its time limits, which are measured in real time.
    private static func waitWhileBusy() {
        let processors = ProcessInfo.processInfo.activeProcessorCount
        for _ in 0..<20 {
            guard let running = runningProcesses, running > 4 * processors else { return }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// How many processes are running or ready to run; nil without Linux's `/proc`.
    private static var runningProcesses: Int? {
        guard let text = try? String(contentsOfFile: "/proc/stat", encoding: .utf8),
            let count = text.firstMatch(of: /procs_running (\d+)/)
        else { return nil }
        return Int(count.output.1)
    }
}
