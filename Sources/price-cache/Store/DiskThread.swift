import PipeCommon
import Synchronization

/// A thread that does one job after another. With Dispatch in its place, a process needs a megabyte more.
final class DiskThread: Sendable {
    typealias Job = @Sendable () -> Void

    private let jobs = Mutex<[Job]>([])
    /// A byte wakes the thread.
    private let bell: Pipe

    init() throws(SystemError) {
        bell = try Pipe()
        // While the disk hangs, the bytes may fill the pipe. One is enough.
        _ = fcntl(bell.writeEnd, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            var thread: pthread_t?
        #else
            var thread = pthread_t()
        #endif
        let context = Unmanaged.passRetained(self).toOpaque()
        let number = pthread_create(&thread, nil, { DiskThread.work($0) }, context)
        guard number == 0 else { throw SystemError(number: number) }
    }

    func add(_ job: @escaping Job) {
        jobs.withLock { $0.append(job) }
        _ = write(bell.writeEnd, "!", 1)
    }

    /// Waits until the jobs that were added are done, or time is up.
    func wait(atMost limit: Duration? = nil) {
        guard let done = try? Pipe() else { return }
        defer { close(done.readEnd) }
        add { close(done.writeEnd) }
        let deadline = limit.map { Deadline(in: $0) }
        var polled = pollfd(fd: done.readEnd, events: Int16(POLLIN), revents: 0)
        while poll(&polled, 1, deadline?.pollTimeout ?? -1) == -1, errno == EINTR {}
    }

    private static func work(_ context: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        let thread = Unmanaged<DiskThread>.fromOpaque(context!).takeUnretainedValue()
        var byte: UInt8 = 0
        while read(thread.bell.readEnd, &byte, 1) != 0 {
            while let job = thread.jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { job() }
        }
        return nil
    }
}
