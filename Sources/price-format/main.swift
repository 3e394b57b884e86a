import PipeCommon

ICULocale.setDefault()
Filter.main { (options: FormatOptions, diagnostics) in
    diagnostics.warnIfTyped("readings", "they come from price-clock | price-fetch binance | price-format")
    return try FormatLoop(options, on: .standardOutput, diagnostics: diagnostics).run()
}
