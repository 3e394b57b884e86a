#if canImport(Darwin)
    // <sys/filio.h> defines it in a way that Swift cannot read.
    private let request: UInt = 0x4004_667F
#else
    private let request = UInt(FIONREAD)
#endif

/// How many bytes a pipe or a socket holds that nobody has read yet; nil when the system cannot tell.
public func unreadByteCount(of descriptor: Int32) -> Int? {
    var count: Int32 = 0
    return ioctl(descriptor, request, &count) == 0 ? Int(count) : nil
}
