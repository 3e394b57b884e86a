import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    var loop = EventLoop(options, diagnostics: diagnostics)
    do {
        return try loop.run()
    } catch let signal as EndingSignal {
        signal.takeEffect()
        return .bug
    }
}
