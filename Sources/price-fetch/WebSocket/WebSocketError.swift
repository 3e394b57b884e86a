/// Why a WebSocket was not opened, or how it ended.
enum WebSocketError: Error, Equatable {
    /// The server answered the handshake with an HTTP status other than 101.
    case refused(status: Int, retryAfter: String?)
    /// There is no connection, or the server does not speak WebSocket; in words for a person.
    case notOpened(String)
    /// The server broke the protocol: the status code of RFC 6455, section 7.4.1, for our close frame, and the reason.
    case violation(code: UInt16, String)
    /// The connection ended without a close frame; in words for a person.
    case lost(String)
    /// Both sides have said that they close it.
    case closed

    static func wrongProtocol(_ reason: String) -> WebSocketError { .violation(code: 1002, reason) }
    static let notUTF8 = WebSocketError.violation(code: 1007, "text that is not UTF-8")
    static let tooLarge = WebSocketError.violation(code: 1009, "a message that is too large")
}
