import PipeCommon

Filter.main { (options: FetchOptions, diagnostics) in
    guard let origin = options.origin else {
        try LineWriter.standardOutput.write(Origin.list.joined(separator: "\n").utf8)
        return .done
    }
    if !options.isOnce { diagnostics.warnIfTyped("ticks", "use --once to fetch one price now") }
    // With `--once`, no warnings about the source are printed, because a reading without a quote states the reason.
    let reports = options.isOnce ? Reports() : Reports(warn: diagnostics.warning)
    let loop = FetchLoop(options, origin.feed(reports), reports, diagnostics)
    return try loop.run()
}
