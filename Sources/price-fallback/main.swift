import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    var loop = try FallbackLoop(options, diagnostics: diagnostics)
    do {
        return try loop.run()
    } catch let signal as TerminationSignal {
        signal.takeEffect()
        return .bug
    }
}
