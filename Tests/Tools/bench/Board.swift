import Foundation
import PipeCommon
import TestSupport

/// Processor time of `price-format --style board` with 25 rows: per frame that is drawn completely, and per beat in
/// which all readings change, which includes reading their lines.
func board(_ options: BenchOptions, _ report: Report) {
    let count = options.count(300, quick: 40)
    let perFrame = cost(of: count, beats: { _ in 1 }, frames: { $0 })
    report.row(
        "processor time per frame of the board, 25 rows", ours: "\(number(perFrame * 1000, 2)) ms",
        goal: "≤ 0.3 ms", holds: perFrame <= 0.0003)
    let perPage = cost(of: count, beats: { _ in 1 }, frames: { $0 }, hasChart: true)
    report.row(
        "the same of the details with a year of candles, 200 × 60", ours: "\(number(perPage * 1000, 2)) ms",
        goal: "≤ 0.5 ms", holds: perPage <= 0.0005)
    let perBeat = cost(of: count, beats: { $0 }, frames: { _ in 0 })
    report.row(
        "the same per beat, with the reading of 25 lines", ours: "\(number(perBeat * 1000, 2)) ms", holds: nil
    )
}

/// The cost per drawn frame: the difference between a run of `10 + count` frames and a run of 10, divided by the
/// frames.
private func cost(
    of count: Int, beats: (Int) -> Int, frames: (Int) -> Int, hasChart: Bool = false
) -> Double {
    let runs = [10, 10 + count].map { count in
        var drawn = 0
        let cost = Cost.ofChildren {
            drawn = draw(beats: beats(count), frames: frames(count), hasChart: hasChart)
        }
        return (cost: cost, drawn: drawn)
    }
    let drawn = runs[1].drawn - runs[0].drawn
    precondition(drawn >= count / 2, "\(drawn) frames")
    return (runs[1].cost - runs[0].cost) / Double(drawn)
}

/// Shows beats on a board in a terminal and then types Ctrl-L for each further frame.
///
/// - Parameter hasChart: whether to show the details of the first symbol in a large terminal, with a year of candles.
/// - Returns: how many frames were drawn.
func draw(beats: Int, symbols: Int = 25, frames: Int = 0, hasChart: Bool = false) -> Int {
    let folder = TemporaryFolder()
    let readings = "\(folder.path)/readings"
    mkfifo(readings, 0o600)
    let terminal = Terminal(environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"])
    if hasChart { terminal.resize(200, 60) } else { terminal.resize(120, 40) }
    let style = hasChart ? "screen --range 1y" : "board"
    terminal.type("price-format --style \(style) <\(readings); echo ended $?\r")
    let fifo = open(readings, O_WRONLY)
    func send(_ line: String) {
        _ = Array((line + "\n").utf8).withUnsafeBytes { write(fifo, $0.baseAddress, $0.count) }
    }
    for day in 0..<(hasChart ? 365 : 0) { send(dayLine(day)) }
    for beat in 0..<beats {
        for symbol in 0..<symbols {
            send(
                quoteLine(
                    "\(100 + symbol).\(10 + beat % 90)", tick: beat, symbol: "S\(symbol)-USD", at: .now()))
        }
        terminal.pump(for: .milliseconds(20))
    }
    for _ in 0..<frames {
        terminal.type("\u{0C}")
        terminal.pump(for: .milliseconds(20))
    }
    close(fifo)
    precondition(terminal.waitFor("ended 0", after: 0), "the board did not end")
    return terminal.screen.components(separatedBy: "\u{1B}[?2026h").count - 1
}

/// The line of a candle that began this many days ago, with all of its prices.
private func dayLine(_ ago: Int) -> String {
    let begin = Candle.day.beginning(of: .now()) + Candle.day.length * -ago
    let close = 100 + abs(ago % 200 - 100) + ago * 7919 % 11
    let range = CandleRange(
        open: Price("\(close + 3)"), high: Price("\(close + 5)"), low: Price("\(close - 4)"))
    let quote = Quote(
        price: Price("\(close)")!, currency: .usDollar, timestamp: begin + Candle.day.length, range: range)
    let tick = Tick(number: 0, at: begin, symbol: Symbol("S0-USD"), candle: .day)
    var reading = Reading(answering: tick, quote, from: "binance")
    reading.isClosed = true
    return String(decoding: reading.line, as: UTF8.self)
}
