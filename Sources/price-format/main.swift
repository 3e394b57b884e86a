import PipeCommon

Filter.main { (options: FormatOptions, diagnostics) in
    let terminal = TerminalTraits.ofStandardOutput()
    let palette = Palette(usesColor: options.color.isOn(terminal))
    var readings = RecordReader<Reading>(diagnostics: diagnostics)
    switch options.style {
    case .screen where terminal.canDraw:
        let screen = ScreenSession(ScreenView(options, palette, terminal.glyphs))
        defer { screen.leave() }
        while try readings.readMore() {
            while let reading = readings.next() { try screen.show(reading) }
        }
    case .bar:
        let view = BarView(options)
        try show(&readings, diagnostics, view.append)
    case .plain, .screen:
        let view = PlainView(options, palette)
        try show(&readings, diagnostics, view.append)
    }
    return readings.status
}

/// Text for each reading, as soon as it has come.
private func show(
    _ readings: inout RecordReader<Reading>, _ diagnostics: Diagnostics,
    _ append: (Reading, inout ByteBuffer) -> Void
) throws {
    var output = ReadingWriter(diagnostics: diagnostics)
    while try readings.readMore() {
        while let reading = readings.next() {
            try output.add(at: reading.at) { append(reading, &$0) }
        }
        try output.flush()
    }
    try output.finish()
}
