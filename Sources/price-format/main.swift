import PipeCommon

Filter.main { (options: FormatOptions, diagnostics) in
    try FormatLoop(options, on: .standardOutput, diagnostics: diagnostics).run()
}
