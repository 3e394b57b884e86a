import PipeCommon

/// The pipe that carries requests to the clock, one per line.
struct RequestPipe {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
        // If the clock does not read, writing a request must not block the view. Child processes must not keep the pipe
        // open.
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// - Returns: false if not all of the request could be written, for example because the clock has ended or does not
    ///   read.
    func ask(_ request: String) -> Bool {
        let bytes = Array((request + "\n").utf8)
        return writeBytes(descriptor, bytes.span) == bytes.count
    }
}
