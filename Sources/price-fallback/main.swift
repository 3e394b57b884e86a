import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    diagnostics.warnIfTyped("ticks", "they come from price-clock | price-fallback PRIMARY")
    var loop = try FallbackLoop(options, diagnostics: diagnostics)
    return try loop.run()
}
