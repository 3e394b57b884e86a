import PipeCommon

Filter.main { (options: SoakOptions, diagnostics) in
    if let messages = options.messages {
        var soak = PushSoak(messages: messages)
        return try soak.run() ? .done : .bug
    }
    var soak = Soak(options, diagnostics)
    return try soak.run() ? .done : .bug
}
