import PipeCommon

Filter.main { (options: CacheOptions, diagnostics) in
    let store = FileQuoteStore(location: options.location)
    if options.isValidating {
        return try ValidateStore(store, ageLimit: options.ageLimit, diagnostics: diagnostics).run()
    }
    if options.isAnswering {
        diagnostics.warnIfTyped("ticks", "pipe them in: price-clock | price-cache --answer")
        var answers = AnswerLoop(
            store, freshness: options.answerFreshness, onlyCandles: options.hasOnlyCandles,
            diagnostics: diagnostics)
        return try answers.run()
    }
    diagnostics.warnIfTyped("readings", "pipe them in: price-clock | price-fetch binance | price-cache")
    var cache = CacheLoop(
        store: store, ageLimit: options.ageLimit, requiresQuote: options.requiresQuote,
        diagnostics: diagnostics)
    return try cache.run()
}
