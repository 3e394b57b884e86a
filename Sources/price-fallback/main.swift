import PipeCommon

Filter.main { (options: FallbackOptions, diagnostics) in
    var loop = EventLoop(commands: options.commands, patience: options.patience, diagnostics: diagnostics)
    return try loop.run()
}
