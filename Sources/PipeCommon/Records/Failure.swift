/// An attempt that gave no quote: `{"source":"binance","kind":"timeout","message":"no answer within 800 ms"}`.
public struct Failure: Record, Hashable {
    public enum Kind: String, CaseIterable, Sendable {
        /// No whole answer in time.
        case timeout
        /// Name look-up, connection refused or reset, TLS.
        case network
        /// A status other than 200, or a body that is not this source's quote.
        case invalidData = "invalid-data"
        case rateLimited = "rate-limited"
        /// Status 401, 403 or 451.
        case denied
        /// The source's process ended or broke the protocol.
        case exited
    }

    public let source: String
    public let kind: Kind
    /// One printable line of at most 200 characters.
    public let message: String
    /// How long the source is to be left alone, `retry_ms` in whole milliseconds: between a source and the
    /// fallback that asks it.
    public let retry: Duration?

    public init(source: String, kind: Kind, message: String, retry: Duration? = nil) {
        self.source = printable(source, atMost: 64)
        self.kind = kind
        self.message = printable(message, atMost: 200)
        self.retry = retry
    }

    public init(_ members: inout Members) throws(InvalidInput) {
        self.init(
            source: try required(members.text("source"), "source"),
            kind: try required(members.text("kind", "one of ours"), "kind"),
            message: try required(members.text("message"), "message"),
            retry: try members.count("retry_ms", from: 1).map { .milliseconds($0) })
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("source", source)
        object.add("kind", kind.rawValue)
        object.add("message", message)
        object.add("retry_ms", retry.map { max(1, $0.milliseconds) })
    }
}

extension Failure.Kind: ByteParsable {
    public init?(utf8 text: UnsafeBufferPointer<UInt8>) {
        self.init(rawValue: String(decoding: text, as: UTF8.self))
    }
}
