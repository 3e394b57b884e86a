import PipeCommon

Filter.main { (options: FetchOptions, diagnostics) in
    guard let asked = options.asked else {
        try LineWriter.standardOutput.write(Source.all.map(\.name).joined(separator: "\n").utf8)
        return .done
    }
    let ticks = AnswerTicks(from: feed(asked, options, diagnostics), diagnostics)
    return options.isOnce ? try ticks.once() : try ticks.run()
}

private func feed(
    _ asked: FetchOptions.Asked, _ options: FetchOptions, _ diagnostics: Diagnostics
) -> any Feed {
    switch asked {
    case .source(let source):
        MemoryLimit.set()
        OneProcessor.stay()
        let client = URLSessionHTTPClient(connections: AnswerTicks.atOnce)
        var fetch = FetchQuote(source: source, timeout: options.timeout, client: client)
        // One fetch says all in its reading.
        if !options.isOnce { fetch.warn = diagnostics.warning }
        return fetch
    case .stream(let command, let name, let price):
        return FollowStream(command, name: name, price: price, timeout: options.timeout, diagnostics)
    }
}
