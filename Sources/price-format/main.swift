import PipeCommon

Filter.main { (options: FormatOptions, diagnostics) in
    let view = PlainView(timeFormat: options.timeFormat, locale: options.locale)
    var readings = RecordLines<Reading>(diagnostics: diagnostics)
    var output = LiveOutput(diagnostics: diagnostics)
    while let reading = try readings.next() {
        try output.write(Array(view.text(of: reading).utf8), of: reading.at)
    }
    try output.finish()
    return readings.status
}
