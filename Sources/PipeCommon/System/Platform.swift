/// The C library, for all of Sources: no other file imports it by name.
#if canImport(Darwin)
    @_exported import Darwin
    let monotonicClock = CLOCK_MONOTONIC_RAW
#else
    @_exported @unsafe @preconcurrency import Glibc
    let monotonicClock = CLOCK_BOOTTIME
#endif

/// The environment of this process, for a program that it starts. Nothing here changes it while there are other threads.
func inheritedEnvironment() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    unsafe environ
}

/// A buffer whose unused pages cost no memory.
func uninitializedBytes(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { $1 = $0.count }
}

/// Reads what a descriptor holds now into a part of a buffer.
///
/// - Returns: how many bytes, 0 at the end of the input; nil when there is nothing to read yet.
func readBytes(_ descriptor: Int32, into buffer: inout [UInt8], _ part: Range<Int>) throws(StreamError)
    -> Int?
{
    let (count, number) = unsafe buffer.withUnsafeMutableBytes { bytes in
        let count = unsafe read(descriptor, bytes.baseAddress! + part.lowerBound, part.count)
        return (count, count < 0 ? errno : 0)
    }
    switch number {
    case 0: return count
    case EINTR, EAGAIN: return nil
    default: throw .inputFailed(errno: number)
    }
}

/// Writes bytes, from a place on, with one system call.
///
/// - Returns: how many were written; -1 for a failure, which is in `errno`.
public func writeBytes(_ descriptor: Int32, _ bytes: Span<UInt8>, from place: Int = 0) -> Int {
    unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress.map { unsafe $0 + place }, $0.count - place)
    }
}

/// Where a byte first occurs in a part of a buffer.
func firstPlace(of byte: UInt8, in buffer: [UInt8], _ part: Range<Int>) -> Int? {
    unsafe buffer.withUnsafeBytes { bytes in
        unsafe memchr(bytes.baseAddress! + part.lowerBound, Int32(byte), part.count)
            .map { unsafe UnsafeRawPointer($0) - bytes.baseAddress! }
    }
}

/// The C library's `close`, for types that have a method of that name.
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// Whether `poll` has reported that nobody reads what is written to this descriptor.
public func readerIsGone(_ descriptor: pollfd) -> Bool {
    descriptor.revents & Int16(POLLERR | POLLHUP) != 0
}

/// Waits until a descriptor is ready, or until the deadline.
///
/// - Parameter events: `POLLIN` or `POLLOUT`.
/// - Returns: whether it is ready, or has failed.
func wait(for descriptor: Int32, _ events: Int32, until deadline: Deadline? = nil) -> Bool {
    var polled = [pollfd(fd: descriptor, events: Int16(events), revents: 0)]
    poll(&polled, until: deadline)
    return polled[0].revents != 0
}

/// Waits until one of some descriptors is ready, or until the deadline; negative descriptors are ignored.
public func poll(_ descriptors: inout [pollfd], until deadline: Deadline?) {
    while unsafe poll(&descriptors, nfds_t(descriptors.count), deadline?.pollTimeout ?? -1) == -1,
        errno == EINTR
    {}
}

func reading(of clock: clockid_t) -> timespec {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return time
}

/// Reads what a descriptor holds now, at most 64 KiB.
///
/// - Returns: no bytes at the end of the input; nil when there is nothing to read yet.
public func readAvailable(_ descriptor: Int32) throws(StreamError) -> [UInt8]? {
    var bytes = uninitializedBytes(64 * 1024)
    guard let count = try readBytes(descriptor, into: &bytes, bytes.indices) else { return nil }
    return Array(bytes[..<count])
}
