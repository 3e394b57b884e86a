import Foundation
import PipeCommon
import TestSupport

/// The processor time that `price-fallback`, `price-cache` and `price-format` take per symbol and beat. The
/// last two receive new prices at every beat. The times should not depend on the number of symbols.
func symbols(_ bench: Bench) {
    let beats = bench.count(5, quick: 2)
    for count in bench.options.isQuick ? [100, 1000] : [100, 1000, 10_000] {
        func row(_ stage: String, goal: Double, _ perBeat: () -> Double) {
            let measure = "processor time per symbol per beat, \(count) symbols: \(stage)"
            bench.compare(measure, " µs", goal: .atMost(goal)) {
                perBeat() / Double(count) * 1000
            }
        }
        row("price-fallback", goal: 8) {
            let costs = ["price-fallback 'bench --answer'", "bench --answer"].map { command in
                bench.perExchange(command, beats, lines: count) { ticks($0, symbols: count) }
            }
            return costs[0] - costs[1]
        }
        row("price-cache, with its files", goal: 20) { perUnit(beats) { store(bench, count, beats: $0) } }
        row("price-format --style bar", goal: 8) {
            bench.perExchange("price-format --style bar", beats) { readings($0, symbols: count) }
        }
        row("price-format --style board", goal: 8) {
            perUnit(beats) { draw(bench, beats: $0, symbols: count) }
        }
    }
}

/// The processor time to store the readings of the given number of beats. Each beat is sent only after the
/// preceding beat has been stored. The store is in memory if possible, to exclude the cost of a disk.
private func store(_ bench: Bench, _ count: Int, beats: Int) -> Double {
    let store = TemporaryFolder(inMemory: true)
    return bench.run("XDG_CACHE_HOME=\(store.path); exec price-cache") { cache in
        for beat in 0..<beats {
            cache.exchange(readings(beat, symbols: count), for: count)
            for symbol in 0..<count {
                let file = "btc-price/S\(symbol)-USD.json"
                while store.contents(file)?.contains(price(beat)) != true { usleep(1000) }
            }
        }
    }.processor
}

/// Processor time per complete frame, for a board with 25 rows and for a symbol's details with a chart.
func board(_ bench: Bench) {
    let count = bench.count(300, quick: 40)
    bench.compare("processor time per frame of the board, 25 rows", " ms", runs: 3, goal: .atMost(0.3)) {
        perUnit(count, after: 10) { draw(bench, frames: $0) }
    }
    let details = "the same for the details with a year of candles, 200 columns by 60 rows"
    bench.compare(details, " ms", runs: 3, goal: .atMost(0.5)) {
        perUnit(count, after: 10) { draw(bench, frames: $0, hasChart: true) }
    }
}

/// The processor time, in milliseconds, that `price-format` needs to show the readings of `beats` beats on a board
/// in a terminal and then to draw `frames` further frames, each requested with Ctrl-L.
///
/// - Parameter hasChart: whether to show the details of the first symbol in a large terminal, with a year of candles.
private func draw(
    _ bench: Bench, beats: Int = 1, symbols: Int = 25, frames: Int = 0, hasChart: Bool = false
) -> Double {
    let (path, before) = ("\(bench.folder.path)/board", processorTimeOfChildren())
    mkfifo(path, 0o600)
    do {
        let terminal = Terminal(environment: ["TERM": "xterm-256color", "LC_ALL": "C.UTF-8"])
        if hasChart { terminal.resize(200, 60) } else { terminal.resize(120, 40) }
        let style = hasChart ? "screen --range 1y" : "board"
        terminal.type("price-format --style \(style) <\(path); echo ended $?\r")
        let fifo = FileHandle(forWritingAtPath: path)!
        for day in 0..<(hasChart ? 365 : 0) { fifo.write(Data(candle(daysAgo: day).utf8)) }
        for beat in 0..<beats {
            fifo.write(Data(readings(beat, symbols: symbols).utf8))
            terminal.pump(for: .milliseconds(20))
        }
        for _ in 0..<frames {
            terminal.type("\u{0C}")
            terminal.pump(for: .milliseconds(20))
        }
        fifo.closeFile()
        precondition(terminal.waitFor("ended 0", after: 0), "the board did not end")
        let drawn = terminal.screen.components(separatedBy: "\u{1B}[?2026h").count - 1
        precondition(drawn > frames / 10 * 9, "\(drawn) frames")
    }
    return (processorTimeOfChildren() - before) * 1000
}

/// The line of a reading with a candle of the first symbol, including the candle's opening, high and low prices.
private func candle(daysAgo: Int) -> String {
    let begin = Candle.day.beginning(of: .now()) + Candle.day.length * -daysAgo
    let close = 100 + abs(daysAgo % 200 - 100) + daysAgo * 7919 % 11
    let range = CandleRange(
        open: Price("\(close + 3)"), high: Price("\(close + 5)"), low: Price("\(close - 4)"))
    let quote = Quote(
        price: Price("\(close)")!, currency: .usDollar, timestamp: begin + Candle.day.length, range: range)
    let tick = Tick(number: 0, at: begin, symbol: Symbol("S0-USD"), candle: .day)
    var reading = Reading(answering: tick, quote, from: "binance")
    reading.isClosed = true
    return String(decoding: reading.line, as: UTF8.self) + "\n"
}
