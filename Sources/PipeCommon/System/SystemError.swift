/// A system call's failure, as its error number.
public struct SystemError: Error {
    public let number: Int32

    public init(number: Int32) {
        self.number = number
    }
}

/// The system's description of an error number: "No space left on device".
public func systemMessage(_ number: Int32) -> String {
    String(cString: strerror(number))
}
