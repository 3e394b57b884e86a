import Foundation
import PipeCommon
import TestSupport

/// Processor time per frame of `price-format --style board` with 25 rows that all change.
func board(_ options: BenchOptions, _ report: Report) {
    let count = options.count(300, quick: 40)
    let runs = [10, 10 + count].map { beats in
        var frames = 0
        let cost = Cost.ofChildren { frames = drawFrames(beats) }
        return (cost: cost, frames: frames)
    }
    let frames = runs[1].frames - runs[0].frames
    precondition(frames >= count / 2, "\(frames) frames")
    let perFrame = (runs[1].cost - runs[0].cost) / Double(frames)
    report.row(
        "processor time per frame of the board, 25 rows", ours: "\(number(perFrame * 1000, 2)) ms",
        goal: "≤ 0.3 ms",
        holds: perFrame <= 0.0003)
}

/// - Returns: how many frames were drawn on a terminal.
private func drawFrames(_ beats: Int) -> Int {
    let folder = TemporaryFolder()
    let readings = "\(folder.path)/readings"
    mkfifo(readings, 0o600)
    let terminal = Terminal(environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"])
    terminal.resize(120, 40)
    terminal.type("price-format --style board <\(readings); echo ended $?\r")
    let fifo = open(readings, O_WRONLY)
    for beat in 0..<beats {
        for symbol in 0..<25 {
            let line = quoteLine(
                "\(100 + symbol).\(10 + beat % 90)", tick: beat, symbol: "S\(symbol)-USD", at: .now())
            _ = Array((line + "\n").utf8).withUnsafeBytes { write(fifo, $0.baseAddress, $0.count) }
        }
        terminal.pump(for: .milliseconds(20))
    }
    close(fifo)
    precondition(terminal.waitFor("ended 0", after: 0), "the board did not end")
    return terminal.screen.components(separatedBy: "\u{1B}[?2026h").count - 1
}
