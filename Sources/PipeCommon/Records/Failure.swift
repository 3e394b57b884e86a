/// The report that a source provided no usable quote, or that its quote was disputed:
/// `{"source":"binance","kind":"timeout","message":"no answer within 800 ms"}`.
///
/// Programs should rely on `kind`, not on `message`: the message is for people, and its wording may change.
public struct Failure: Record, Hashable {
    /// The kind of failure. While a source is paused or only probed, the kind of an earlier failure may be repeated.
    public enum Kind: String, TextValue, CaseIterable {
        /// No complete answer was read in time. With `price-fetch --push` and `price-fetch --stream`, this kind is
        /// usually also used if no price has arrived because the connection failed or the command ended.
        case timeout
        /// The name look-up, the connection, TLS or HTTP failed, or the exchange reported that it is temporarily out of
        /// service. With `price-fetch echo`, this kind is also used if the WebSocket handshake failed for a reason
        /// other than the HTTP status.
        case network
        /// The answer contained no usable quote or had an unexpected HTTP status that no other kind covers. With
        /// `price-fetch echo`, this kind is also used if the WebSocket server violated the protocol.
        case invalidData = "invalid-data"
        case rateLimited = "rate-limited"
        /// The HTTP status was 401 or 451, or it was 403 and the answer did not indicate another kind; an error code or
        /// message meant that access is denied; or the API key could not be sent in a header.
        case denied
        /// The source does not price this symbol, rejected a subscription to it or cannot provide the requested candle.
        case unsupported
        /// Only from a store: no usable quote is stored, the stored quote is not fresh, or the store answers only ticks
        /// for candles.
        case expired
        /// The source's process ended, could not be started, hung, or violated the protocol.
        case exited
        /// The price differs too much from another source's price; the message is, for example,
        /// `binance 27550.00, coinbase 68901.23`. With `--median`, this kind also means that too few sources returned
        /// an independent price and no other failure explains the missing quote.
        case disputed
    }

    /// The name of the source: one printable line of at most 64 characters.
    public let source: String
    public let kind: Kind
    /// The reason: one printable line of at most 200 characters.
    public let message: String
    /// `retry_ms`: how long price-fallback should pause after this failure before it sends the source another tick for
    /// the same symbol and candle length; nil if no pause is needed. The pause lasts an hour at most. price-fallback
    /// does not pass this member on.
    public let retry: Duration?

    /// - Parameters:
    ///   - source: made printable and cut to 64 characters.
    ///   - message: made printable and cut to 200 characters.
    ///   - retry: written as whole milliseconds, rounded down, but at least 1.
    public init(source: String, kind: Kind, message: String, retry: Duration? = nil) {
        self.source = printable(source, atMost: 64)
        self.kind = kind
        self.message = printable(message, atMost: 200)
        self.retry = retry
    }

    /// Reads a failure. Unknown members are skipped.
    ///
    /// - Throws: `InvalidInput` if the value is not a valid object, if a known member is invalid, or if the source, the
    ///   kind or the message is missing. In the last two cases, the reason names the member.
    public init(_ json: inout JSONReader) throws(InvalidInput) {
        var (source, message, kind, retry): (String?, String?, Kind?, Int?) = (nil, nil, nil, nil)
        try json.object { (name, json) throws(InvalidInput) in
            switch name {
            case "source": source = try json.text()
            case "kind": kind = try json.value("a known kind of failure")
            case "message": message = try json.text()
            case "retry_ms": retry = try json.integer(from: 1)
            default: break
            }
        }
        self.init(
            source: try required(source, "source"), kind: try required(kind, "kind"),
            message: try required(message, "message"), retry: retry.map { .milliseconds($0) })
    }

    public func addMembers(to object: inout ByteBuffer) {
        object.add("source", source)
        object.add("kind", kind)
        object.add("message", message)
        object.add("retry_ms", retry.map { max(1, $0.milliseconds) })
    }
}
