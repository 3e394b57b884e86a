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
    let perBeat = cost(of: count, beats: { $0 }, frames: { _ in 0 })
    report.row(
        "the same per beat, with the reading of 25 lines", ours: "\(number(perBeat * 1000, 2)) ms", holds: nil
    )
}

/// The cost per drawn frame: the difference between a run of `10 + count` and one of 10, divided by the frames.
private func cost(of count: Int, beats: (Int) -> Int, frames: (Int) -> Int) -> Double {
    let runs = [10, 10 + count].map { count in
        var drawn = 0
        let cost = Cost.ofChildren { drawn = draw(beats: beats(count), frames: frames(count)) }
        return (cost: cost, drawn: drawn)
    }
    let drawn = runs[1].drawn - runs[0].drawn
    precondition(drawn >= count / 2, "\(drawn) frames")
    return (runs[1].cost - runs[0].cost) / Double(drawn)
}

/// Shows beats on a board in a terminal and then types Ctrl-L for each further frame.
///
/// - Returns: how many frames were drawn.
func draw(beats: Int, symbols: Int = 25, frames: Int = 0) -> Int {
    let folder = TemporaryFolder()
    let readings = "\(folder.path)/readings"
    mkfifo(readings, 0o600)
    let terminal = Terminal(environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"])
    terminal.resize(120, 40)
    terminal.type("price-format --style board <\(readings); echo ended $?\r")
    let fifo = open(readings, O_WRONLY)
    for beat in 0..<beats {
        for symbol in 0..<symbols {
            let line = quoteLine(
                "\(100 + symbol).\(10 + beat % 90)", tick: beat, symbol: "S\(symbol)-USD", at: .now())
            _ = Array((line + "\n").utf8).withUnsafeBytes { write(fifo, $0.baseAddress, $0.count) }
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
