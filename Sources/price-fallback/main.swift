import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    var loop = EventLoop(options, diagnostics: diagnostics)
    return try loop.run()
}
