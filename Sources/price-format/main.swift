import PipeCommon

ICULocale.setDefault()
Filter.main { (options: FormatOptions, diagnostics) in
    diagnostics.warnIfTyped("readings", "pipe them in: price-clock | price-fetch binance | price-format")
    return try FormatLoop(options, on: .standardOutput, diagnostics: diagnostics).run()
}
