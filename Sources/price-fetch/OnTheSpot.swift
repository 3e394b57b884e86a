/// Runs what a task has to do next on the thread that made it ready, without a change of threads.
final class OnTheSpot: TaskExecutor {
    static let executor = OnTheSpot()

    func enqueue(_ job: consuming ExecutorJob) {
        job.runSynchronously(on: asUnownedTaskExecutor())
    }
}
