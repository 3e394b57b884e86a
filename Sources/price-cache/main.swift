import PipeCommon

Filter.main { (options: CacheOptions, diagnostics) in
    let store = FileQuoteStore(location: options.location)
    var cache = try CacheLoop(store: store, ageLimit: options.ageLimit, diagnostics: diagnostics)
    return try cache.run()
}
