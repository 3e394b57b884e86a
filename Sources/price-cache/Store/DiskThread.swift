import PipeCommon

/// A thread that runs one job after another. With Dispatch instead, a process needs a megabyte more. It uses
/// no descriptor, because it must also work when descriptors have run out.
final class DiskThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The waiting jobs; the first one is running.
        var jobs: [Job] = []
        var isStarted = false
    }

    private let state = Monitor(State())

    func add(_ job: @escaping Job) {
        let isQueued = state.withLock { state in
            state.isStarted = state.isStarted || startThread { self.work() }
            if state.isStarted { state.jobs.append(job) }
            return state.isStarted
        }
        state.notify()
        // Without a thread, the disk may delay a line.
        if !isQueued { job() }
    }

    /// Waits until all jobs are done, or until the time is up.
    func wait(atMost limit: Duration? = nil) {
        let deadline = limit.map { Deadline(in: $0) }
        while !state.withLock(\.jobs.isEmpty), deadline?.hasPassed() != true { usleep(200) }
    }

    private func work() {
        while true {
            let job = state.wait(\.jobs.first)
            job()
            state.withLock { _ = $0.jobs.removeFirst() }
        }
    }
}
