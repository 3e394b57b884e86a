import PipeCommon

Filter.main { (options: FetchOptions, diagnostics) in
    MemoryLimit.set()
    switch options.mode {
    case .list:
        try LineWriter.standardOutput.write(Source.all.map(\.name).joined(separator: "\n").utf8)
        return .done
    case .once(let source):
        return try AnswerTicks(from: source, timeout: options.timeout, diagnostics).once()
    case .ticks(let source):
        var answers = AnswerTicks(from: source, timeout: options.timeout, diagnostics)
        return try answers.run()
    }
}
