import PipeCommon

Filter.main { (options: SoakOptions, diagnostics) in
    var soak = Soak(options, diagnostics)
    return try soak.run() ? .done : .bug
}
