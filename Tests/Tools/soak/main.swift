import PipeCommon

Filter.main { (options: SoakOptions, _) in
    if let messages = options.messages {
        var soak = PushSoak(messages: messages)
        return try soak.run() ? .done : .bug
    }
    var soak = Soak(options)
    return try soak.run() ? .done : .bug
}
