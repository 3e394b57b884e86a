import Dispatch

/// Threads for tests that mostly wait, besides those that run all other tests: one per processor.
///
/// Sixteen seconds in which nothing is done need no processor, so these tests take no time from the others.
final class WaitingThreads: TaskExecutor {
    static let shared = WaitingThreads(count: 2)

    private let queue = DispatchQueue(label: "tests that mostly wait", attributes: .concurrent)
    private let free: DispatchSemaphore
    private let turns = DispatchQueue(label: "turns of tests that mostly wait")

    private init(count: Int) {
        free = DispatchSemaphore(value: count)
    }

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        turns.async {
            self.free.wait()
            self.queue.async {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.free.signal()
            }
        }
    }
}
