import PipeCommon

Filter.main { (options: BenchOptions, diagnostics) in
    if options.isSource { return try answerTicks(diagnostics) }
    let report = Report()
    report.start(on: Machine.description)
    for part in options.parts {
        switch part {
        case .replay: replay(options, report)
        case .request: request(options, report)
        case .tick: tick(options, report)
        case .latency: latency(options, report)
        case .memory: memory(options, report)
        case .clock: clock(options, report)
        case .start: start(options, report)
        case .growth: growth(options, report)
        case .push: push(options, report)
        case .board: board(options, report)
        case .answer: storedAnswer(options, report)
        case .history: history(options, report)
        case .silence: silence(options, report)
        case .symbols: symbols(options, report)
        case .ending: ending(options, report)
        }
    }
    return report.isBroken ? .bug : .done
}
