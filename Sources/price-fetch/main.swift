import PipeCommon

Filter.main { (options: FetchOptions, diagnostics) in
    guard let origin = options.origin else {
        try LineWriter.standardOutput.write(PriceSource.all.map(\.name).joined(separator: "\n").utf8)
        return .done
    }
    // A single reading reports every problem itself.
    let warn = options.isOnce ? { _ in } : diagnostics.warning
    var loop = FetchLoop(origin.feed(warn: warn), timeout: options.timeout, diagnostics)
    do {
        return options.isOnce ? try loop.runOnce() : try loop.run()
    } catch let signal as TerminationSignal {
        signal.takeEffect()
        return .bug
    }
}
