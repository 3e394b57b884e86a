import PipeCommon
import TestSupport

Filter.main { (options: BenchOptions, diagnostics) in
    if options.isSource { return try answerTicks(diagnostics) }
    let bench = Bench(options)
    for part in options.parts {
        bench.folder = TemporaryFolder()
        BenchOptions.measure(part)!(bench)
    }
    return bench.isBroken ? .bug : .done
}
