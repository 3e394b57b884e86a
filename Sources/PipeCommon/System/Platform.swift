/// The C library, for all of Sources: no other file imports it by name.
#if canImport(Darwin)
    @_exported import Darwin
    let monotonicClock = CLOCK_MONOTONIC_RAW
#else
    @_exported @preconcurrency import Glibc
    let monotonicClock = CLOCK_BOOTTIME
#endif

/// The environment of this process, for a program that it starts. Nothing here changes it while there are other threads.
func inheritedEnvironment() -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?> {
    environ
}

/// The C library's `read`, for types that have a method of that name.
func readBytes(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, buffer, count)
}

/// The C library's `write`, for types that have a method of that name.
func writeBytes(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// The C library's `close`, for types that have a method of that name.
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

/// Whether `poll` has reported that nobody reads what is written to this descriptor.
public func readerIsGone(_ descriptor: pollfd) -> Bool {
    descriptor.revents & Int16(POLLERR | POLLHUP) != 0
}

/// Reads what a descriptor holds now, at most 64 KiB.
///
/// - Returns: no bytes at the end of the input; nil when there is nothing to read yet.
public func readAvailable(_ descriptor: Int32) throws(StreamError) -> [UInt8]? {
    var number: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: 64 * 1024) { buffer, count in
        let size = readBytes(descriptor, buffer.baseAddress, buffer.count)
        number = size < 0 ? errno : 0
        count = max(0, size)
    }
    switch number {
    case 0: return bytes
    case EINTR, EAGAIN: return nil
    default: throw .inputFailed(errno: number)
    }
}
