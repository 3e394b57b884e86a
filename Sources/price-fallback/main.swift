import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    diagnostics.warnIfTyped("ticks", "pipe them in: price-clock | price-fallback PRIMARY")
    let loop = try FallbackLoop(options, diagnostics: diagnostics)
    return try loop.run()
}
