import CICU

/// A language and region, in which ICU writes numbers and times.
struct ICULocale: Equatable, Sendable {
    /// `de_DE`
    let identifier: String

    /// - Parameters:
    ///   - digits: a decimal number, greater than zero.
    ///   - skeleton: how it is written, in the words of ICU: `currency/USD .00`.
    func number(_ digits: String, _ skeleton: String) -> String {
        var error: UErrorCode = 0
        let units = Array(skeleton.utf16)
        let formatter = unumf_openForSkeletonAndLocale(units, Int32(units.count), identifier, &error)
        let result = unumf_openResult(&error)
        defer {
            unumf_close(formatter)
            unumf_closeResult(result)
        }
        unumf_formatDecimal(formatter, digits, -1, result, &error)
        return icuText { unumf_resultToString(result, $0, $1, $2) }
    }

    /// The pattern in which times with some fields, `MMMdHm`, are usually written.
    func timePattern(_ fields: String) -> String {
        var error: UErrorCode = 0
        let units = Array(fields.utf16)
        let generator = udatpg_open(identifier, &error)
        defer { udatpg_close(generator) }
        return icuText { udatpg_getBestPattern(generator, units, Int32(units.count), $0, $1, $2) }
    }

    /// Whether ICU knows the locale, or its language and its region.
    var isKnown: Bool {
        let known = (0..<uloc_countAvailable()).map { String(cString: uloc_getAvailable($0)) }
        return known.contains(identifier) || known.contains(part(uloc_getLanguage)) && hasKnownRegion
    }

    private var hasKnownRegion: Bool {
        let code = part(uloc_getCountry)
        var regions = uloc_getISOCountries()!
        while let region = regions.pointee, String(cString: region) != code { regions += 1 }
        return regions.pointee != nil
    }

    private typealias PartReader = (
        UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, UnsafeMutablePointer<UErrorCode>?
    ) -> Int32

    /// - Returns: the empty text if the identifier has no such part.
    private func part(_ read: PartReader) -> String {
        var error: UErrorCode = 0
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
            buffer.initialize(repeating: 0)
            _ = read(identifier, buffer.baseAddress, 15, &error)
            return String(cString: buffer.baseAddress!)
        }
    }
}
