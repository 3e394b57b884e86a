/// A pipe. The programs that this process starts inherit only the ends that are passed to `startShell`.
public struct Pipe: Sendable {
    public let readEnd: Int32
    public let writeEnd: Int32

    public init() throws(SystemError) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { throw SystemError(number: errno) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        (readEnd, writeEnd) = (ends[0], ends[1])
    }

    func close() {
        closeDescriptor(readEnd)
        closeWriteEnd()
    }

    public func closeWriteEnd() {
        closeDescriptor(writeEnd)
    }
}

/// Calls the C library's `close`. In a type with its own `close` method, that method would hide the C function.
func closeDescriptor(_ descriptor: Int32) {
    _ = close(descriptor)
}

// MARK: reading and writing

/// Reads the available bytes into a part of a buffer, as many as fit. The part must not be empty. Like `read`, this
/// function waits for input unless the descriptor is non-blocking.
///
/// - Returns: the number of bytes, 0 at the end of the input; nil if a non-blocking descriptor cannot be read yet, or
///   if a signal interrupted the read.
public func readBytes(_ descriptor: Int32, into buffer: inout [UInt8], _ part: Range<Int>)
    throws(StreamError) -> Int?
{
    let (count, number) = unsafe buffer.withUnsafeMutableBytes { bytes in
        let count = unsafe read(descriptor, bytes.baseAddress! + part.lowerBound, part.count)
        return (count, count == -1 ? errno : 0)
    }
    switch number {
    case 0: return count
    case EINTR, EAGAIN: return nil
    default: throw .inputFailed(errno: number)
    }
}

/// Reads the bytes that are available now, at most 64 KiB. Like `readBytes`, this function waits for input unless the
/// descriptor is non-blocking.
///
/// - Returns: an empty array at the end of the input; nil if a non-blocking descriptor cannot be read yet, or if a
///   signal interrupted the read.
public func readAvailable(_ descriptor: Int32) throws(StreamError) -> [UInt8]? {
    var bytes = uninitializedBytes(64 * 1024)
    guard let count = try readBytes(descriptor, into: &bytes, bytes.indices) else { return nil }
    return Array(bytes[..<count])
}

/// Writes the bytes from a given position on, or as many of them as one system call accepts.
///
/// - Returns: the number of bytes written; -1 on failure, with the reason in `errno`.
public func writeBytes(_ descriptor: Int32, _ bytes: Span<UInt8>, from place: Int = 0) -> Int {
    unsafe bytes.withUnsafeBytes {
        unsafe write(descriptor, $0.baseAddress.map { unsafe $0 + place }, $0.count - place)
    }
}

/// Writes the bytes of a string from a given position on, or as many of them as one system call accepts. This function
/// does not allocate memory, so a signal handler may call it.
///
/// - Returns: the number of bytes written; -1 on failure, with the reason in `errno`.
public func writeBytes(_ descriptor: Int32, _ text: StaticString, from place: Int) -> Int {
    unsafe write(descriptor, text.utf8Start + place, text.utf8CodeUnitCount - place)
}

// MARK: waiting

extension pollfd {
    /// - Parameters:
    ///   - descriptor: the descriptor to watch; if nil, `poll` ignores this entry.
    ///   - events: `POLLIN`, `POLLOUT` or both; if 0, `poll` reports only an error or that the other end is closed.
    public init(_ descriptor: Int32?, _ events: Int32 = 0) {
        self.init(fd: descriptor ?? -1, events: Int16(events), revents: 0)
    }

    /// Whether `poll` has reported an event or an error.
    public var isReady: Bool { revents != 0 }

    /// Whether `poll` has reported one of these events.
    public func isReady(for events: Int32) -> Bool { Int32(revents) & events != 0 }
}

/// Waits until at least one descriptor is ready or the deadline passes; if the deadline is nil, waits indefinitely. If
/// the deadline is more than 24 days away, the wait may end earlier.
///
/// - Returns: whether any descriptor is ready or has failed.
@discardableResult public func poll(_ descriptors: inout [pollfd], until deadline: Deadline?) -> Bool {
    while true {
        let count = unsafe poll(&descriptors, nfds_t(descriptors.count), deadline?.pollTimeout ?? -1)
        if count >= 0 || errno != EINTR { return count > 0 }
    }
}

/// Waits until a descriptor is ready or the deadline passes; if the deadline is nil, waits indefinitely. If the
/// deadline is more than 24 days away, the wait may end earlier. This function does not allocate memory, so a signal
/// handler may call it.
///
/// - Parameter events: `POLLIN` or `POLLOUT`.
/// - Returns: whether the descriptor is ready or has failed.
public func wait(for descriptor: Int32, _ events: Int32, until deadline: Deadline? = nil) -> Bool {
    var polled = pollfd(descriptor, events)
    while true {
        let count = unsafe poll(&polled, 1, deadline?.pollTimeout ?? -1)
        if count >= 0 || errno != EINTR { return count > 0 }
    }
}

/// Whether `poll` has reported that the reader of an output descriptor, such as standard output, is gone.
public func readerIsGone(_ descriptor: pollfd) -> Bool {
    descriptor.isReady(for: POLLERR | POLLHUP)
}

// MARK: pipes and sockets

func isPipe(_ descriptor: Int32) -> Bool {
    fileStatus(descriptor).map { $0.st_mode & S_IFMT == S_IFIFO } ?? false
}

/// The number of unread bytes in a pipe or a socket; nil if the system does not report it.
public func unreadByteCount(of descriptor: Int32) -> Int? {
    #if canImport(Darwin)
        // <sys/filio.h> defines FIONREAD as a macro that Swift cannot import.
        let request: UInt = 0x4004_667F
    #else
        let request = UInt(FIONREAD)
    #endif
    var count: Int32 = 0
    return unsafe ioctl(descriptor, request, &count) == 0 ? Int(count) : nil
}

/// The numeric address (without an IPv6 zone) and the port of one end of a connection; nil on failure.
///
/// - Parameter isPeer: whether to return the address of the remote end instead of our own.
public func socketAddress(of socket: Int32, isPeer: Bool) -> (address: String, port: Int32)? {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var (host, port) = ([CChar](repeating: 0, count: 64), [CChar](repeating: 0, count: 8))
    let isKnown = unsafe withUnsafeMutablePointer(to: &storage) { storage in
        unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
            let name = unsafe isPeer ? getpeername : getsockname
            return unsafe name(socket, address, &size) == 0
                && getnameinfo(
                    address, size, &host, socklen_t(host.count), &port, socklen_t(port.count),
                    NI_NUMERICHOST | NI_NUMERICSERV) == 0
        }
    }
    guard isKnown else { return nil }
    let address = host.prefix { $0 != 0 && $0 != CChar(UInt8(ascii: "%")) }.map(UInt8.init(bitPattern:))
    return unsafe (String(decoding: address, as: UTF8.self), atoi(port))
}

// MARK: terminals

/// The path of a descriptor's terminal; nil if the descriptor is not a terminal, or if the path is not known.
public func terminalName(of descriptor: Int32) -> String? {
    unsafe ttyname(descriptor).map { unsafe String(cString: $0) }
}

/// The number of rows and columns of a terminal; nil if the descriptor is not a terminal, or if the width is not known.
public func windowSize(of descriptor: Int32) -> winsize? {
    var window = winsize()
    return unsafe ioctl(descriptor, UInt(TIOCGWINSZ), &window) == 0 && window.ws_col > 0 ? window : nil
}

/// - Returns: nil if the descriptor is not a terminal.
public func terminalModes(of descriptor: Int32) -> termios? {
    var modes = termios()
    return unsafe tcgetattr(descriptor, &modes) == 0 ? modes : nil
}

public func setTerminalModes(of descriptor: Int32, to modes: termios) {
    var modes = modes
    unsafe tcsetattr(descriptor, TCSANOW, &modes)
}

extension termios {
    /// The value of a control character such as `VSUSP`, or of a setting such as `VMIN`.
    public subscript(key: Int32) -> UInt8 {
        get { unsafe withUnsafeBytes(of: c_cc) { unsafe $0[Int(key)] } }
        set { unsafe withUnsafeMutableBytes(of: &c_cc) { unsafe $0[Int(key)] = newValue } }
    }
}
