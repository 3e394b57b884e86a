import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

/// A random search for quotes whose price is too old or was not sent by the feed for the quote's symbol. The
/// feed sends wrong prices, falls silent and sends messages out of order, while its server keeps answering
/// pings. To repeat a search, set `BTC_PRICE_SEED`.
@Suite(.endToEnd, .enabled(if: PushServer.isPossible, "needs openssl")) struct FeedOriginFaultTests {
    private static let maxAge = Duration.milliseconds(300)
    /// The longest time that a message or a line may take to arrive on a busy machine.
    private static let transit = Duration.milliseconds(400)

    @Test(.fault(53, 54)) func `every pushed price is genuine and younger than the maximum age`() throws {
        // Given a feed with random faults
        let feed = LyingFeed(seed: Seed.value)
        let server = PushServer { feed.next() }
        defer { server.close() }
        let words = ["--push", "--max-age", "300ms", "--timeout", "50ms", "--url", server.url, "binance"]
        let running = RunningProgram("price-fetch", words)
        var prices = PriceCheck { price in
            let sent = feed.time(of: price)
            return PriceOrigin(
                source: "binance", symbol: .bitcoin, latest: sent + Self.maxAge + Self.transit, isOnce: false)
        }
        let wanted = FullSize.count(short: 300, full: 100_000)
        var (quotes, faults) = (0, [String]())
        let end = Deadline(in: .milliseconds(wanted * 30) + .seconds(20))
        // When ticks arrive until enough of them are answered with a quote
        while quotes < wanted, !end.hasPassed() {
            running.write(Tick(number: quotes, at: .now()).text + "\n")
            let reading = try running.nextReading()
            running.wait(.milliseconds(5))
            guard reading.quote != nil else { continue }
            quotes += 1
            if let fault = prices.fault(of: reading) { faults.append("\(fault): \(reading.text)") }
        }
        // Then every price was sent for its symbol and was recent enough
        #expect(faults.prefix(3) == [], "\(Seed.text)")
        #expect(quotes == wanted, "\(Seed.text): \(running.errors)")
        if FullSize.isWanted { print("\(quotes) pushed prices") }
    }
}

/// An imitation of Binance's feed for one market. Its true prices encode the time at which they were sent.
private final class LyingFeed: Sendable {
    private enum Phase: CaseIterable {
        case honest, silent, old, again, ahead, otherMarket, otherStream, otherForm, unreadable
    }

    /// The minimum time between two phases with messages out of order. Each of these phases makes the program
    /// reconnect. If connections lasted less than 5 seconds, the pauses between them would grow.
    private static let order = Duration.seconds(8)

    private let start = Timestamp.now()
    private let state: Mutex<State>

    private struct State {
        var random: SeededRandom
        var phase = Phase.honest
        var end: ContinuousClock.Instant
        var isFirst = true
        var nextOrder: ContinuousClock.Instant
    }

    init(seed: UInt64) {
        let end = ContinuousClock.now + .milliseconds(500)
        state = Mutex(State(random: SeededRandom(seed), end: end, nextOrder: end))
    }

    /// The time at which a true price was sent. In a true price, `request` contains the milliseconds from the
    /// feed's start to that time.
    func time(of price: TracedPrice) -> Timestamp { start + .milliseconds(price.request) }

    /// Waits for 10 ms and returns the next messages.
    func next() -> [String] {
        usleep(10_000)
        return state.withLock { state in
            if ContinuousClock.now > state.end {
                let isLong = Int.random(in: 0..<4, using: &state.random) == 0
                let length = Int.random(in: 20...(isLong ? 900 : 150), using: &state.random)
                var phase = Phase.allCases.randomElement(using: &state.random)!
                if [.old, .again, .ahead].contains(phase) {
                    if state.nextOrder < .now { state.nextOrder = .now + Self.order } else { phase = .silent }
                }
                // An honest phase follows each phase with a fault, so that genuine prices keep coming.
                state.phase = state.phase == .honest ? phase : .honest
                (state.end, state.isFirst) = (.now + .milliseconds(length), true)
            }
            defer { state.isFirst = false }
            return message(state.phase, isFirst: state.isFirst)
        }
    }

    private func message(_ phase: Phase, isFirst: Bool) -> [String] {
        let now = Timestamp.now().milliseconds
        let price = TracedPrice(exchange: 1, symbol: 0, request: now - start.milliseconds)
        let hour = 3_600_000
        let truth = price.text
        let lie = "999.99"
        return switch phase {
        case .honest: [text(truth, at: now)]
        case .silent: []
        case .old: [text(lie, at: now - 2 * hour)]
        case .again: [text(truth, at: now - 3000)]
        case .ahead: [text(truth, at: isFirst ? now + hour : now)]
        case .otherMarket: [text(lie, at: now, market: "ETHUSDT")]
        case .otherStream: [text(lie, at: now, stream: "ethusdt")]
        case .otherForm: [text(lie, at: now).replacing(#""s":"BTCUSDT","#, with: "")]
        case .unreadable: [text("-\(lie)", at: now)]
        }
    }

    private func text(
        _ price: String, at time: Int, stream: String = "btcusdt", market: String = "BTCUSDT"
    ) -> String {
        let data = #"{"e":"24hrMiniTicker","E":\#(time),"s":"\#(market)","c":"\#(price)"}"#
        return #"{"stream":"\#(stream)@miniTicker","data":\#(data)}"#
    }
}
