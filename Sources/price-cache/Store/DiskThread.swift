import PipeCommon

/// A thread that does one job after another. With Dispatch in its place, a process needs a megabyte more. It needs no
/// descriptor, since it must work where these are short.
final class DiskThread: Sendable {
    typealias Job = @Sendable () -> Void

    private struct State {
        /// The first one is being done.
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
        // Without a thread the disk may delay a line.
        if !isQueued { job() }
    }

    /// Waits until the jobs that were added are done, or time is up.
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
