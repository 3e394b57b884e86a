import PipeCommon

/// An answer with candles, and when it was received: decides which candles are closed for good. Pure.
struct CandlePage {
    /// Trades are still added to a candle for up to a minute after its end, by some exchanges even when the answer has
    /// the next candle already.
    private static let settling = Duration.seconds(60)
    /// Without a later candle in the answer, only the exchange's clock shows that a candle has ended, and it may be wrong
    /// by hours. Ours alone does not.
    private static let doubt = Duration.seconds(24 * 60 * 60)

    let table: CandleTable
    let received: Timestamp
    /// When it was sent, by the exchange's clock: ours may be days ahead.
    var sent: Timestamp?
    /// How long the answer has been in a cache.
    var age: Duration?

    /// The closing price of a candle, and its time: the end of the candle if it is closed for good. Otherwise it may
    /// change, and the time is when we received it, but always before the end, because the end means that it is closed: by
    /// the clock of the exchange if only ours has passed the end, or else the last millisecond.
    func close(of beginning: Timestamp) throws(InvalidInput) -> (price: Price, timestamp: Timestamp) {
        let price = try table.close(of: beginning)
        let end = beginning + table.candle.length
        let isFollowed = table.hasCandle(after: beginning)
        // The next candle shows that this one has ended, and that the clock of an exchange which denies that is wrong.
        let sent = sent.flatMap { isFollowed && $0 < end + (.zero - Self.settling) ? nil : $0 }
        let time = min(received, sent ?? received) + (.zero - (age ?? .zero))
        let hasEnded = isFollowed || sent != nil && time >= end + Self.doubt
        if hasEnded, time >= end + Self.settling { return (price, end) }
        if received < end { return (price, received) }
        return (price, isFollowed || time >= end ? end + .milliseconds(-1) : max(time, beginning))
    }
}
