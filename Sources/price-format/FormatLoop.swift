import PipeCommon

/// Formats readings for people to read, as lines of text or in full-screen mode.
struct FormatLoop {
    private let options: FormatOptions
    private let terminal: TerminalTraits
    private let diagnostics: Diagnostics
    private let wording: Wording
    private let palette: Palette

    init(_ options: FormatOptions, on terminal: TerminalTraits, diagnostics: Diagnostics) {
        (self.options, self.terminal, self.diagnostics) = (options, terminal, diagnostics)
        let isFullScreen = [.screen, .board].contains(options.style) && terminal.canDraw
        func format(_ withYear: Bool) -> String {
            options.timeFormat
                ?? TimeFormat.short(in: options.locale, withYear: withYear, withSeconds: isFullScreen)
        }
        var wording = Wording(timeFormat: format(false), withYear: format(true), locale: options.locale)
        wording.offlineHint = options.offlineHint
        if isFullScreen || [.table, .chart].contains(options.style) { wording.shown = terminal.glyphs.shown }
        self.wording = wording
        palette = Palette(usesColor: options.color.usesColor(on: terminal))
    }

    func run() throws -> ExitStatus {
        switch options.style {
        case .screen where terminal.canDraw, .board where terminal.canDraw: return try showBoard()
        case .bar: return try show(BarLines(wording, holdings))
        case .table: return try show(TableLines(tableView))
        case .chart: return try show(chartLines)
        case .plain, .screen, .board:
            let lines = PlainLines(wording, palette, hasCandles: options.style == .plain)
            return try show(lines)
        }
    }

    private func show(_ lines: some LineStyle) throws(StreamError) -> ExitStatus {
        try printLines(of: lines, requests: requests?.descriptor ?? -1, diagnostics)
    }

    private var requests: RequestPipe? { options.requests.map { RequestPipe(descriptor: Int32($0)) } }

    /// Shows a board. With the style `screen` or with `--open`, the board first shows the details of a symbol: the
    /// symbol given with `--open` or, without that option, the first symbol that appears.
    private func showBoard() throws -> ExitStatus {
        var board = Board()
        board.choice.order = options.order
        board.choice.selected = options.open
        if options.style == .screen || options.open != nil { board.choice.page = .details }
        board.choice.range = options.range
        board.choice.isLine = options.isLine
        board.names = names
        board.holdings = holdings
        let view = BoardView(wording, palette, terminal.glyphs, ChartTimes(options.locale))
        let loop = ScreenLoop(view, board, requests: requests, diagnostics: diagnostics)
        return try loop.run()
    }

    private var holdings: Holdings {
        options.holdings.map { Holdings(readingFrom: $0, diagnostics) } ?? Holdings()
    }

    private var names: SymbolNames {
        options.names.map { SymbolNames(readingFrom: $0, diagnostics) } ?? SymbolNames()
    }

    private var chartLines: ChartLines {
        let size = TerminalTraits.pageSize
        let view = ChartView(
            wording: wording, glyphs: terminal.glyphs, times: ChartTimes(options.locale),
            columns: size.columns,
            rows: size.rows - 2, isLine: options.isLine)
        return ChartLines(view, palette, options.givenRange, names)
    }

    private var tableView: TableView {
        let days = LocalTimeFormatter(
            format: options.timeFormat ?? TimeFormat.day(in: options.locale), locale: options.locale,
            offset: { _ in 0 })
        return TableView(
            wording, palette, days: days, ellipsis: terminal.glyphs.ellipsis,
            columns: { TerminalTraits.columns })
    }
}
