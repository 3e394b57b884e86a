import Foundation
import PipeCommon
import Synchronization
import TestSupport

/// A push feed at full rate: `price-fetch --push` receives the given number of messages while it answers ticks.
/// Each price must belong to the symbol of its tick, no price may be older than the preceding price of the same symbol,
/// and memory must stay nearly constant.
struct PushSoak {
    private static let symbols = (0..<25).map { Symbol("C\($0)-USD")! }

    private let messages: Int
    private let sent = Sent()
    private var prices: PriceCheck
    private var last: [Symbol: Int] = [:]
    private var readings = 0
    private var broken: [String] = []

    init(messages: Int) {
        self.messages = messages
        prices = PriceCheck { [sent] price in
            guard price.request < sent.count else { return nil }
            return PriceOrigin(
                source: "binance", symbol: Self.symbols[price.symbol], latest: .now(), isOnce: false)
        }
    }

    /// - Returns: whether every invariant held.
    mutating func run() throws -> Bool {
        let (sent, wanted) = (sent, messages)
        let server = PushServer { sent.next(min(100, wanted - sent.count)) }
        let start = Deadline.Instant.now
        let words = ["--push", "--timeout", "10s", "--url", server.url, "binance"]
        let fetch = RunningProgram("price-fetch", words)
        var (tick, first, last): (Int, ProcessStats?, ProcessStats?) = (0, nil, nil)
        while broken.isEmpty, sent.count < wanted || tick == 0 {
            beat(tick, fetch)
            tick += 1
            last = ProcessStats(of: fetch.process)
            if first == nil, sent.count > wanted / 10 { first = last }
        }
        let time = Deadline.Instant.now - start
        server.close()
        let status = fetch.finish().status
        if status != 0 { broken.append("exit status \(status)") }
        // Almost all processor time of the children belongs to price-fetch: the only other programs were a shell and
        // openssl, which computed the proof of the handshake.
        let nanoseconds = Int(processorTimeOfChildren() * 1000) * 1_000_000 / max(1, sent.count)
        guard let first, let last else { throw UsageError("--messages requires /proc and openssl") }
        if let growth = first.growth(to: last) { broken.append(growth) }
        try LineWriter.standardOutput.write(
            """
            \(sent.count) messages in \(time.milliseconds) ms, \(readings) readings
            memory \(first.memory) KiB after a tenth of the messages, \(last.memory) KiB at the end
            processor time per message \(nanoseconds) ns
            \(broken.isEmpty ? "every invariant held" : broken.map { "broken: \($0)" }.joined(separator: "\n"))
            """.utf8)
        return broken.isEmpty
    }

    /// Writes a tick for each symbol and checks the readings that answer these ticks.
    private mutating func beat(_ tick: Int, _ fetch: RunningProgram) {
        for symbol in Self.symbols { fetch.write(Tick(number: tick, symbol: symbol).text + "\n") }
        for _ in Self.symbols {
            // This limit is longer than the time limit of a tick.
            guard let line = fetch.readLine(within: .seconds(30)), let reading = try? Reading(line: line.utf8)
            else { return broken.append("no reading: \(fetch.errors)") }
            if let fault = fault(of: reading) { broken.append("\(fault): \(line)") }
            readings += 1
        }
    }

    private mutating func fault(of reading: Reading) -> String? {
        if let fault = prices.fault(of: reading) { return fault }
        let number = reading.quote.flatMap { TracedPrice($0.price.text)?.request } ?? 0
        let before = last.updateValue(number, forKey: reading.pricedSymbol) ?? 0
        return number < before ? "an older price after a newer price" : nil
    }

    /// Creates the messages, which are numbered from 0. The symbols take turns.
    private final class Sent: Sendable {
        private let total = Atomic(0)

        var count: Int { total.load(ordering: .relaxed) }

        func next(_ count: Int) -> [String] {
            let first = total.add(count, ordering: .relaxed).oldValue
            return (first..<first + count).map { number in
                let symbol = number % PushSoak.symbols.count
                let price = TracedPrice(exchange: 1, symbol: symbol, request: number)
                return PushServer.message("C\(symbol)USDT", price.text)
            }
        }
    }
}
