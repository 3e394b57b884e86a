import Dispatch

/// The threads of the tests that start programs. Such a test mostly waits, so there are more threads than processors.
final class EndToEndThreads: TaskExecutor {
    static let shared = EndToEndThreads(count: 6)

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
            self.queue.async {
                job.runSynchronously(on: self.asUnownedTaskExecutor())
                self.free.signal()
            }
        }
    }
}
