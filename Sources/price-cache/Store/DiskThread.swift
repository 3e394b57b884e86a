import PipeCommon

/// A thread that does one job after another. With Dispatch in its place, a process needs a megabyte more. It needs no
/// descriptor, since it must work where these are short.
final class DiskThread: @unchecked Sendable {
    typealias Job = @Sendable () -> Void

    private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    private let bell = UnsafeMutablePointer<pthread_cond_t>.allocate(capacity: 1)
    // Guarded by the mutex. The first job is being done.
    private var jobs: [Job] = []
    private var isStarted = false

    init() {
        pthread_mutex_init(mutex, nil)
        pthread_cond_init(bell, nil)
    }

    func add(_ job: @escaping Job) {
        let isQueued = locked {
            isStarted = isStarted || start()
            if isStarted { jobs.append(job) }
            pthread_cond_signal(bell)
            return isStarted
        }
        // Without a thread the disk may delay a line.
        if !isQueued { job() }
    }

    /// Waits until the jobs that were added are done, or time is up.
    func wait(atMost limit: Duration? = nil) {
        let deadline = limit.map { Deadline(in: $0) }
        while !locked({ jobs.isEmpty }), deadline?.hasPassed() != true { usleep(200) }
    }

    private func start() -> Bool {
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let context = Unmanaged.passRetained(self).toOpaque()
        return pthread_create(&thread, nil, { DiskThread.work($0) }, context) == 0
    }

    private static func work(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let thread = Unmanaged<DiskThread>.fromOpaque(context!).takeUnretainedValue()
        while true {
            thread.nextJob()()
            thread.locked { _ = thread.jobs.removeFirst() }
        }
    }

    private func nextJob() -> Job {
        locked {
            while jobs.isEmpty { pthread_cond_wait(bell, mutex) }
            return jobs[0]
        }
    }

    private func locked<Value>(_ act: () -> Value) -> Value {
        pthread_mutex_lock(mutex)
        defer { pthread_mutex_unlock(mutex) }
        return act()
    }
}
