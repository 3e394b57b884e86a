/// The failure of a system call, with its error number.
public struct SystemError: Error {
    public let number: Int32

    public init(number: Int32) {
        self.number = number
    }
}

/// An input or output error, which ends the program unless it is caught.
public enum StreamError: Error, Equatable {
    /// The terminal, the reader of standard output or the reader of the requests to the clock is gone. The program then
    /// ends without reporting this.
    case readerGone
    case inputFailed(errno: Int32)
    case outputFailed(errno: Int32)

    /// The system's error number.
    public var number: Int32 {
        switch self {
        case .readerGone: EPIPE
        case .inputFailed(let number), .outputFailed(let number): number
        }
    }
}
