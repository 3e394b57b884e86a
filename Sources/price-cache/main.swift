import PipeCommon

Filter.main { (options: CacheOptions, diagnostics) in
    let store = FileQuoteStore(location: options.location)
    if options.isValidating {
        return try ValidateStore(store, ageLimit: options.ageLimit, diagnostics: diagnostics).run()
    }
    if options.isAnswering {
        var answers = AnswerLoop(
            store, freshness: options.answerFreshness, diagnostics: diagnostics)
        return try answers.run()
    }
    var cache = CacheLoop(store: store, ageLimit: options.ageLimit, diagnostics: diagnostics)
    return try cache.run()
}
