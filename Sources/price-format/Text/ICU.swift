import CICU

/// A language, usually with a region, whose conventions ICU follows when it writes numbers and times.
struct ICULocale: Equatable, Sendable {
    /// The identifier of the locale, such as `de_DE`.
    let identifier: String

    /// Sets ICU's own default locale. Every formatter here gets its own locale, but without this call, ICU would also
    /// take a default locale from the environment. If that default is invalid, for example a name of 12 letters, the
    /// toolchain's ICU crashes when it creates a formatter.
    static func setDefault() {
        var error: UErrorCode = 0
        unsafe uloc_setDefault("en_US", &error)
    }

    /// - Parameters:
    ///   - digits: a decimal number that is not negative, such as `12.5` or `125E-1`.
    ///   - skeleton: an ICU number skeleton, such as `currency/USD .00`.
    /// - Returns: the number as text; empty after an error.
    func number(_ digits: String, _ skeleton: String) -> String {
        var error: UErrorCode = 0
        let units = Array(skeleton.utf16)
        let formatter = unsafe unumf_openForSkeletonAndLocale(units, Int32(units.count), identifier, &error)
        let result = unsafe unumf_openResult(&error)
        defer {
            unsafe unumf_close(formatter)
            unsafe unumf_closeResult(result)
        }
        unsafe unumf_formatDecimal(formatter, digits, -1, result, &error)
        return unsafe icuText { unsafe unumf_resultToString(result, $0, $1, $2) }
    }

    /// Whether ICU knows a currency, current or former.
    static func isCurrency(_ code: String) -> Bool {
        var error: UErrorCode = 0
        let (past, future) = (-Double.greatestFiniteMagnitude, Double.greatestFiniteMagnitude)
        return unsafe ucurr_isAvailable(Array(code.utf16) + [0], past, future, &error) != 0
    }

    /// The locale's usual date pattern for fields such as `MMMdHm`; empty if ICU cannot format times in the locale.
    func timePattern(_ fields: String) -> String {
        var error: UErrorCode = 0
        let units = Array(fields.utf16)
        guard let generator = unsafe udatpg_open(identifier, &error) else { return "" }
        defer { unsafe udatpg_close(generator) }
        return unsafe icuText {
            unsafe udatpg_getBestPattern(generator, units, Int32(units.count), $0, $1, $2)
        }
    }

    /// Whether ICU knows the locale, or at least its language and region, and can write numbers and times in it.
    var isKnown: Bool {
        let known = (0..<uloc_countAvailable()).map { unsafe String(cString: uloc_getAvailable($0)) }
        let hasLanguage = unsafe known.contains(part(uloc_getLanguage))
        return (known.contains(identifier) || hasLanguage && hasKnownRegion) && isUsable
    }

    /// Whether ICU can write numbers and times in the locale; false, for example, if the identifier contains an unknown
    /// system of digits.
    private var isUsable: Bool {
        let texts = [number("1", ""), timePattern("Hm"), PatternFormatter("HH", self, offset: 0).text(0)]
        return texts.allSatisfy { !$0.isEmpty }
    }

    private var hasKnownRegion: Bool {
        let code = unsafe part(uloc_getCountry)
        var regions = unsafe uloc_getISOCountries()!
        while let region = unsafe regions.pointee, unsafe String(cString: region) != code {
            unsafe regions += 1
        }
        return unsafe regions.pointee != nil
    }

    private typealias PartReader = (
        UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, UnsafeMutablePointer<UErrorCode>?
    ) -> Int32

    /// The part of the identifier that `read` extracts, such as the language; empty if the identifier lacks this part.
    private func part(_ read: PartReader) -> String {
        var error: UErrorCode = 0
        return unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
            unsafe buffer.initialize(repeating: 0)
            _ = unsafe read(identifier, buffer.baseAddress, 15, &error)
            return unsafe String(cString: buffer.baseAddress!)
        }
    }
}

/// Formats times according to a Unicode date pattern, at a fixed offset from UTC.
@safe final class PatternFormatter {
    private let formatter: OpaquePointer?
    private let shift: Int

    /// - Parameter offset: the offset from UTC in seconds, positive to the east.
    init(_ pattern: String, _ locale: ICULocale, offset: Int) {
        // ICU supports only offsets of less than a day. For any other offset, the time is shifted instead.
        let zoned = abs(offset) < 86_400 ? offset : 0
        shift = offset - zoned
        func digits(_ number: Int) -> String { (number < 10 ? "0" : "") + String(number) }
        let (hours, minutes, seconds) = (abs(zoned) / 3600, abs(zoned) / 60 % 60, abs(zoned) % 60)
        let name = "GMT\(zoned < 0 ? "-" : "+")\(digits(hours)):\(digits(minutes)):\(digits(seconds))"
        let (zone, units) = (Array(name.utf16), Array(pattern.utf16))
        var error: UErrorCode = 0
        unsafe formatter = udat_open(
            UDAT_PATTERN, UDAT_PATTERN, locale.identifier, zone, Int32(zone.count), units, Int32(units.count),
            &error)
    }

    deinit {
        unsafe udat_close(formatter)
    }

    /// - Parameter time: milliseconds since 1970-01-01T00:00:00Z.
    /// - Returns: an empty text if ICU rejects the pattern or cannot format times in the locale.
    func text(_ time: Int) -> String {
        guard let formatter = unsafe formatter else { return "" }
        return unsafe icuText { unsafe udat_format(formatter, Double(time + shift * 1000), $0, $1, nil, $2) }
    }
}

/// The text that ICU writes into a buffer. If the text is longer than 256 UTF-16 units, ICU writes it again into a
/// buffer that is large enough.
///
/// - Parameter write: receives a buffer, its size and a pointer for the error; returns the length of the text.
/// - Returns: the text; empty after an error.
private func icuText(
    _ write: (UnsafeMutablePointer<UChar>?, Int32, UnsafeMutablePointer<UErrorCode>) -> Int32
) -> String {
    var size: Int32 = 256
    while true {
        var error: UErrorCode = 0
        var needed: Int32 = 0
        let units = unsafe [UChar](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            needed = unsafe write(buffer.baseAddress, size, &error)
            count = Int(min(max(0, needed), size))
        }
        if needed <= size { return error > 0 ? "" : String(decoding: units, as: UTF16.self) }
        size = needed
    }
}
