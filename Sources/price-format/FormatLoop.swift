import PipeCommon

/// Prints each reading for people as soon as it arrives: as lines of text, or on the whole screen.
struct FormatLoop {
    private let style: FormatOptions.Style
    private let wording: Wording
    private let palette: Palette
    private let terminal: TerminalTraits
    private let diagnostics: Diagnostics

    init(_ options: FormatOptions, on terminal: TerminalTraits, diagnostics: Diagnostics) {
        style = options.style
        let shortForm = TimeFormat.short(
            in: options.locale, withSeconds: options.style == .screen && terminal.canDraw)
        wording = Wording(timeFormat: options.timeFormat ?? shortForm, locale: options.locale)
        palette = Palette(usesColor: options.color.usesColor(on: terminal))
        self.terminal = terminal
        self.diagnostics = diagnostics
    }

    func run() throws -> ExitStatus {
        switch style {
        case .screen where terminal.canDraw:
            var session = ScreenSession(
                ScreenView(wording, palette, terminal.glyphs), diagnostics: diagnostics)
            return try session.run()
        case .bar: return try writeLines(of: BarView(wording))
        case .plain, .screen: return try writeLines(of: PlainView(wording, palette))
        }
    }

    private func writeLines(of view: some TextView) throws(StreamError) -> ExitStatus {
        var readings = RecordReader<Reading>(diagnostics: diagnostics)
        var output = ReadingWriter(diagnostics: diagnostics)
        while try readings.readMore() {
            while let reading = readings.next() {
                try output.add(at: reading.at) { view.append(reading, to: &$0) }
            }
            try output.flush()
        }
        try output.finish()
        return readings.status
    }
}
