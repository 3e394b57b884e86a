/// The name of a pair such as `BTC-USD`, or of anything else that has a price. It consists of 1 to 32 ASCII letters,
/// digits, `.`, `_` and `-`, and starts with a letter or a digit. It is therefore safe to print and safe as a file
/// name.
public struct Symbol: TextValue {
    /// The default symbol.
    public static let bitcoin = Symbol("BTC-USD")!

    public let utf8: InlineText

    public init?(_ text: InlineText) {
        guard let first = text.first, Self.isAlphanumeric(first),
            text.allSatisfy({ Self.isAlphanumeric($0) || Self.isPunctuation($0) })
        else { return nil }
        utf8 = text
    }

    /// The currency after the hyphen of a pair such as BTC-USD; nil unless the symbol contains exactly one hyphen, with
    /// a currency code after it.
    public var currencyOfPair: Currency? {
        guard let hyphen = utf8.firstIndex(of: UInt8(ascii: "-")) else { return nil }
        let code = utf8[(hyphen + 1)...]
        return Currency(
            InlineText(word: code.reversed().reduce(0) { $0 << 8 | UInt64($1) }, count: code.count))
    }

    private static func isAlphanumeric(_ byte: UInt8) -> Bool {
        UInt8.isCapitalOrDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }

    private static func isPunctuation(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "_")
    }
}

/// The series to which a requested price belongs: the current prices of a symbol, or its candles of one length.
public struct Subject: Hashable, Sendable {
    public let symbol: Symbol
    /// The length of the candles; nil for the current price.
    public let candle: Candle?

    public init(_ symbol: Symbol, _ candle: Candle? = nil) {
        self.symbol = symbol
        self.candle = candle
    }
}

extension Tick {
    public var subject: Subject { Subject(pricedSymbol, candle) }
}

extension Reading {
    public var subject: Subject { Subject(pricedSymbol, candle) }
}

/// The length of a candle. A tick with a candle requests the closing price of the candle that begins at the tick's
/// `at`. Candles begin at multiples of their length, counted from 1970-01-01T00:00:00Z, so day candles begin at
/// midnight UTC.
public enum Candle: String, TextValue, CaseIterable {
    case minute = "1m"
    case fiveMinutes = "5m"
    case quarterHour = "15m"
    case hour = "1h"
    case day = "1d"

    public var length: Duration {
        switch self {
        case .minute: .seconds(60)
        case .fiveMinutes: .seconds(300)
        case .quarterHour: .seconds(900)
        case .hour: .seconds(3600)
        case .day: .seconds(86400)
        }
    }

    /// The beginning of the candle that contains a time.
    public func beginning(of time: Timestamp) -> Timestamp {
        let (whole, since) = (length.milliseconds, time.milliseconds)
        let remainder = since % whole
        return Timestamp(milliseconds: since - (remainder < 0 ? remainder + whole : remainder))
    }
}
