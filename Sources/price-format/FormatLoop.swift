import PipeCommon

/// Prints each reading for people as soon as it arrives: as lines of text, or on the whole screen.
struct FormatLoop {
    private let style: FormatOptions.Style
    private let timeFormat: String?
    private let locale: ICULocale
    private let wording: Wording
    private let palette: Palette
    private let terminal: TerminalTraits
    private let diagnostics: Diagnostics
    private let clock: ClockProcess?
    private let names: String?
    private let choice: BoardChoice

    init(_ options: FormatOptions, on terminal: TerminalTraits, diagnostics: Diagnostics) {
        (style, timeFormat, locale) = (options.style, options.timeFormat, options.locale)
        let shortForm = TimeFormat.short(
            in: options.locale, withSeconds: [.screen, .board].contains(options.style) && terminal.canDraw)
        wording = Wording(timeFormat: options.timeFormat ?? shortForm, locale: options.locale)
        palette = Palette(usesColor: options.color.usesColor(on: terminal))
        clock = options.clock.map { ClockProcess(id: pid_t($0)) }
        names = options.names
        choice = BoardChoice(order: options.order, opening: options.open)
        self.terminal = terminal
        self.diagnostics = diagnostics
    }

    func run() throws -> ExitStatus {
        switch style {
        case .screen where terminal.canDraw:
            return try show(ScreenView(wording, palette, terminal.glyphs))
        case .board where terminal.canDraw:
            return try show(BoardView(wording, palette, terminal.glyphs))
        case .bar:
            var loop = BarLoop(BarView(wording), diagnostics: diagnostics)
            return try loop.run()
        case .table: return try writeTable()
        case .plain: return try writeLines(of: PlainView(wording, palette))
        // The price of a candle is not the price now, which these two show.
        case .screen, .board:
            return try writeLines(of: PlainView(wording, palette)) { $0.candle == nil }
        }
    }

    private func show(_ layout: any ScreenLayout) throws -> ExitStatus {
        var board = Board()
        board.choice = choice
        if let names { board.names = SymbolNames(readingFrom: names, diagnostics) }
        var session = ScreenSession(layout, board, clock: clock, diagnostics: diagnostics)
        return try session.run()
    }

    private func writeTable() throws(StreamError) -> ExitStatus {
        let days = LocalTimeFormatter(
            format: timeFormat ?? TimeFormat.day(in: locale), locale: locale, offset: { _ in 0 })
        let view = TableView(
            wording, palette, days: days, ellipsis: terminal.glyphs.ellipsis,
            columns: { TerminalTraits.columns })
        var loop = TableLoop(view, diagnostics: diagnostics)
        return try loop.run()
    }

    private func writeLines(
        of view: some TextView, where isShown: (Reading) -> Bool = { _ in true }
    ) throws(StreamError) -> ExitStatus {
        var readings = RecordReader<Reading>(diagnostics: diagnostics)
        var output = ReadingWriter(diagnostics: diagnostics)
        while try readings.readMore() {
            while let reading = readings.next() {
                if isShown(reading) { try output.add(at: reading.at) { view.append(reading, to: &$0) } }
            }
            try output.flush()
        }
        try output.finish()
        return readings.status
    }
}
