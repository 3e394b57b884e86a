import Foundation
import PipeCommon

/// A reading by the library's decoder, under the rules of the records: what the codec is compared with. The library
/// takes more than JSON, and a number in any spelling; what it is given has passed the plain parser, which knows.
struct LibraryReading: Decodable {
    struct Quote: Decodable {
        let value, currency, timestamp: String
        let market: String?
    }

    struct Failure: Decodable {
        let source, kind, message: String
        let retry: Int?

        enum CodingKeys: String, CodingKey {
            case source, kind, message
            case retry = "retry_ms"
        }
    }

    enum CodingKeys: String, CodingKey {
        case tick, at, symbol, source, quote, failures, error
        case timeout = "timeout_ms"
    }

    let tick, timeout: Int?
    let at, symbol, source: String?
    let quote: Quote?
    let failures: [Failure]?
    let error: Bool?

    static func reading(_ line: [UInt8]) -> Reading? {
        guard let tree = try? PlainParser.parse(line), case .object(let members) = tree,
            hasWholeNumbers(members),
            let wire = try? JSONDecoder().decode(LibraryReading.self, from: Data(line))
        else { return nil }
        return wire.reading
    }

    /// Whether our numbers are digits only, as they stand there.
    private static func hasWholeNumbers(_ members: [[UInt8]: PlainJSON]) -> Bool {
        var numbers = ["tick", "timeout_ms"].compactMap { members[Array($0.utf8)] }
        if case .array(let failures)? = members[Array("failures".utf8)] {
            for case .object(let failure) in failures {
                numbers += [failure[Array("retry_ms".utf8)]].compactMap { $0 }
            }
        }
        return numbers.allSatisfy {
            if case .number(let digits) = $0 { digits.wholeMatch(of: /[0-9]+/) != nil } else { true }
        }
    }

    private var reading: Reading? {
        guard Self.isAbsent(tick, orFrom: 0), Self.isAbsent(timeout, orFrom: 1) else { return nil }
        let times = [at, quote?.timestamp].compactMap { $0 }.map(Self.time)
        let symbols = [symbol].compactMap { $0 }
        let form = /[A-Za-z0-9][A-Za-z0-9._-]{0,31}/
        guard !times.contains(nil), symbols.allSatisfy({ $0.wholeMatch(of: form) != nil }) else { return nil }
        var failures: [PipeCommon.Failure] = []
        for failure in self.failures ?? [] {
            guard let kind = PipeCommon.Failure.Kind(rawValue: failure.kind),
                Self.isAbsent(failure.retry, orFrom: 1)
            else { return nil }
            failures.append(
                .init(
                    source: failure.source, kind: kind, message: failure.message,
                    retry: failure.retry.map { .milliseconds($0) }))
        }
        let tick = Tick(number: tick, at: at.flatMap(Self.time), symbol: symbol.flatMap { Symbol($0) })
        var reading = Reading(answering: tick, failures)
        reading.error = error
        reading.source = source.map { printable($0, atMost: 64) }
        if let quote {
            guard source != nil, quote.value.wholeMatch(of: /[0-9]{1,12}(\.[0-9]{1,12})?/) != nil,
                quote.value.contains(where: "123456789".contains),
                quote.currency.wholeMatch(of: /[A-Z][A-Z0-9]{2,4}/) != nil,
                let time = Self.time(quote.timestamp),
                quote.market?.wholeMatch(of: /[!#-\[\]-~]{1,32}/) != nil || quote.market == nil
            else { return nil }
            reading.quote = .init(
                price: Price(quote.value)!, currency: Currency(quote.currency)!, timestamp: time,
                market: quote.market.map { InlineText($0)! })
        }
        return quote == nil && failures.isEmpty && error != true ? nil : reading
    }

    private static func isAbsent(_ number: Int?, orFrom least: Int) -> Bool {
        number.map { $0 >= least } ?? true
    }

    /// By the C library.
    private static func time(_ text: String) -> Timestamp? {
        let form = /([0-9]{4})-([0-9]{2})-([0-9]{2})T([0-9]{2}):([0-9]{2}):([0-9]{2})\.([0-9]{3})Z/
        guard let parts = text.wholeMatch(of: form)?.output else { return nil }
        var fields = tm()
        (fields.tm_year, fields.tm_mon, fields.tm_mday) = (
            Int32(parts.1)! - 1900, Int32(parts.2)! - 1, Int32(parts.3)!
        )
        (fields.tm_hour, fields.tm_min, fields.tm_sec) = (Int32(parts.4)!, Int32(parts.5)!, Int32(parts.6)!)
        let given = fields
        let seconds = timegm(&fields)
        // What does not exist is moved to what does.
        guard (fields.tm_mon, fields.tm_mday, fields.tm_hour) == (given.tm_mon, given.tm_mday, given.tm_hour),
            (fields.tm_min, fields.tm_sec) == (given.tm_min, given.tm_sec)
        else { return nil }
        return Timestamp(milliseconds: seconds * 1000 + Int(parts.7)!)
    }
}
