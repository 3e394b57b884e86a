import PipeCommon

Filter.main { (options: FormatOptions, diagnostics) in
    let terminal = TerminalTraits.ofStandardOutput()
    let palette = Palette(isColoured: options.color.isOn(terminal))
    var readings = RecordLines<Reading>(diagnostics: diagnostics)
    switch options.style {
    case .screen where terminal.canDraw:
        let screen = LiveScreen(ScreenView(options, palette, terminal.glyphs))
        defer { screen.leave() }
        while let reading = try readings.next() { try screen.show(reading) }
    case .bar:
        let view = BarView(options)
        try show(&readings, diagnostics) { view.text(of: $0) }
    case .plain, .screen:
        let view = PlainView(options, palette)
        try show(&readings, diagnostics) { view.text(of: $0) }
    }
    return readings.status
}

/// Text for each reading, as soon as it has come.
private func show(
    _ readings: inout RecordLines<Reading>, _ diagnostics: Diagnostics, _ text: (Reading) -> String
) throws {
    var output = LiveOutput(diagnostics: diagnostics)
    while let reading = try readings.next() { try output.write(Array(text(reading).utf8), of: reading.at) }
    try output.finish()
}
