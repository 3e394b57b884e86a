import CICU

/// Writes numbers as a locale does, in one form.
final class NumberFormatter {
    private let formatter: OpaquePointer?
    private let result: OpaquePointer?

    /// - Parameter skeleton: how a number is written, in the words of ICU: `currency/USD .00`.
    init(_ locale: ICULocale, _ skeleton: String) {
        var error: UErrorCode = 0
        let units = Array(skeleton.utf16)
        formatter = unumf_openForSkeletonAndLocale(units, Int32(units.count), locale.identifier, &error)
        result = unumf_openResult(&error)
    }

    deinit {
        unumf_close(formatter)
        unumf_closeResult(result)
    }

    /// - Parameter digits: a decimal number.
    func text(_ digits: String) -> String {
        var error: UErrorCode = 0
        unumf_formatDecimal(formatter, digits, -1, result, &error)
        return icuText { unumf_resultToString(result, $0, $1, $2) }
    }
}
