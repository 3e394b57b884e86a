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
    private let requests: RequestPipe?
    private let names: String?
    private let choice: BoardChoice

    init(_ options: FormatOptions, on terminal: TerminalTraits, diagnostics: Diagnostics) {
        (style, timeFormat, locale) = (options.style, options.timeFormat, options.locale)
        let withSeconds = [.screen, .board].contains(options.style) && terminal.canDraw
        func short(_ withYear: Bool) -> String {
            TimeFormat.short(in: options.locale, withYear: withYear, withSeconds: withSeconds)
        }
        wording = Wording(
            timeFormat: options.timeFormat ?? short(false), withYear: options.timeFormat ?? short(true),
            locale: options.locale)
        palette = Palette(usesColor: options.color.usesColor(on: terminal))
        requests = options.requests.map { RequestPipe(descriptor: Int32($0)) }
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
        case .bar: return try printLines(of: BarView(wording), diagnostics)
        case .table: return try printLines(of: TableLines(tableView), diagnostics)
        case .plain, .screen, .board:
            let view = PlainView(wording, palette)
            return try printLines(of: PlainLines(view, hasCandles: style == .plain), diagnostics)
        }
    }

    private func show(_ layout: any ScreenLayout) throws -> ExitStatus {
        var board = Board()
        board.choice = choice
        if let names { board.names = SymbolNames(readingFrom: names, diagnostics) }
        var session = ScreenSession(layout, board, requests: requests, diagnostics: diagnostics)
        return try session.run()
    }

    private var tableView: TableView {
        let days = LocalTimeFormatter(
            format: timeFormat ?? TimeFormat.day(in: locale), locale: locale, offset: { _ in 0 })
        return TableView(
            wording, palette, days: days, ellipsis: terminal.glyphs.ellipsis,
            columns: { TerminalTraits.columns })
    }
}
