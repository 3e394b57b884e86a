import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Symbols take turns if one beat has more of them than can be requested. Times are simulated, in milliseconds.
@Suite(.unit) struct TurnsTests {
    private let symbols = (0..<50).map { "S\($0)-USD" }

    /// A server that takes `latency` for each answer and never answers some symbols.
    private final class SlowClient: HTTPClient {
        let latency: Int
        let silent: Set<String>
        var time = 0
        private var underWay: [Int: (symbol: String, end: Int)] = [:]

        init(latency: Int, silent: some Sequence<String> = []) {
            (self.latency, self.silent) = (latency, Set(silent))
        }

        func get(_ request: HTTPRequest, id: Int, within timeout: Duration) {
            let symbol = String(request.url.text.split { "=&".contains($0) }[1])
            underWay[id] = (symbol, silent.contains(symbol) ? .max : time + latency)
        }

        func giveUp(_ id: Int) { underWay[id] = nil }

        var watched: [pollfd] { [] }
        var nextDeadline: Deadline? { nil }

        func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [HTTPResult] {
            let ended = underWay.filter { $0.value.end <= time }.sorted { $0.key < $1.key }
            for (id, _) in ended { underWay[id] = nil }
            return ended.map { id, request in
                (id, .answer(#"{"symbol":"\#(request.symbol)","price":"1.50"}"#))
            }
        }
    }

    /// Plays beats of one second, with 800 ms for each tick.
    ///
    /// - Returns: the symbols that got a quote.
    private func quoted(by client: SlowClient, beats: Int) -> Set<String> {
        var source = PriceSource.binance
        source.shared = nil
        let sut = HTTPFeed(source, client)
        let start = Deadline.Instant.now
        var quoted: Set<String> = []
        for beat in 0..<beats {
            for (index, symbol) in symbols.enumerated() {
                sut.ask(beat * 50 + index, anyTick(symbol: symbol), at: start + .seconds(beat))
            }
            var waiting = Set(beat * 50..<beat * 50 + 50)
            for time in stride(from: beat * 1000, to: beat * 1000 + 1000, by: 10) {
                client.time = time
                if time == beat * 1000 + 800 {
                    for id in waiting {
                        _ = sut.giveUp(id, anyTick(symbol: symbols[id % 50]), after: .milliseconds(800))
                    }
                }
                for answer in sut.advance([], at: start + .milliseconds(time)) {
                    waiting.remove(answer.id)
                    if answer.price != nil { quoted.insert(symbols[answer.id % 50]) }
                }
            }
        }
        return quoted
    }

    @Test(.fault(44), arguments: [(200, 2), (300, 2), (390, 2), (500, 4), (780, 4)])
    func `each of 50 symbols gets a quote within a few beats`(latency: Int, beats: Int) {
        let quoted = quoted(by: SlowClient(latency: latency), beats: beats)
        #expect(Set(symbols).subtracting(quoted) == [])
    }

    @Test(.fault(44)) func `symbols that are never answered do not prevent the others' turns`() {
        let silent = symbols.prefix(20).map { $0.replacing("-USD", with: "USDT") }
        let quoted = quoted(by: SlowClient(latency: 300, silent: silent), beats: 4)
        #expect(quoted == Set(symbols.dropFirst(20)))
    }
}
