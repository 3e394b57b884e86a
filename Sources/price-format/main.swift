import PipeCommon

Filter.main { (options: FormatOptions, diagnostics) in
    let view = PlainView(timeFormat: options.timeFormat, locale: options.locale)
    var readings = RecordLines<Reading>(diagnostics: diagnostics)
    while let reading = try readings.next() {
        try LineWriter.standardOutput.write(view.text(of: reading).utf8)
    }
    return readings.status
}
