import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    diagnostics.warnIfTyped("ticks", "they come from price-clock | price-fallback PRIMARY")
    var loop = try FallbackLoop(options, diagnostics: diagnostics)
    do {
        return try loop.run()
    } catch let signal as TerminationSignal {
        signal.takeEffect()
        return .bug
    }
}
