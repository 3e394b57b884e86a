import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// `btc-price --median` in the demo and with four real `price-fetch` processes, each with its own exchange on
/// loopback.
@Suite(.endToEnd) struct MedianProgramTests {
    private let door = FrontDoor()
    private let servers: [(name: String, server: StubServer)]

    init() throws {
        servers = ["coinbase", "kraken", "bitstamp", "gemini"].map { ($0, StubServer(.status(503))) }
        let cases = servers.map { "\($0.name)) base=\($0.server.url(""));;" }.joined(separator: " ")
        try door.replace(
            "price-fetch",
            by: """
                for name; do :; done
                case $name in \(cases) *) exit 1;; esac
                exec \(Programs.folder.path.shellQuoted)/price-fetch --base "$base" "$@"
                """)
    }

    /// Sets the answers of the exchanges.
    ///
    /// - Parameter prices: the prices of the exchanges, in the order of `servers`; an exchange without a
    ///   price keeps its previous answer, which is initially status 503.
    private func answer(_ prices: [String]) {
        let now = Timestamp.now()
        for ((name, server), price) in zip(servers, prices) {
            let body =
                ExchangePayload(rawValue: name)?.body(.bitcoin, price)
                    ?? """
                    {"ask":"\(price)","bid":"\(price)","last":"\(price)",
                    "volume":{"BTC":"2210.5","USD":"2135477.4","timestamp":\(now.milliseconds)}}
                    """
            server.answer(with: .ok(body))
        }
    }

    @Test(.fault(64))
    func `the median of the prices that agree is shown, and the reading lists all prices`() throws {
        // Given four exchanges, one of which returns a wrong price
        answer(["60010.00", "59990.00", "66900.00", "60000.00"])
        // When
        let running = door.start(["--median", "--json"])
        // On a busy machine, the first answers may be late.
        var reading = try running.nextReading()
        while reading.prices.count < 4 { reading = try running.nextReading() }
        running.signal(SIGTERM)
        #expect(running.result().status == 128 + SIGTERM)
        // Then
        #expect(reading.source == "gemini" && reading.quote?.price.text == "60000.00")
        #expect(reading.failures.map(\.kind) == [.disputed] && reading.failures[0].source == "bitstamp")
        let compared = reading.prices.map { "\($0.source) \($0.price.text)" }
        #expect(
            compared == ["coinbase 60010.00", "kraken 59990.00", "bitstamp 66900.00", "gemini 60000.00"])
        #expect(!reading.isDisputed)
    }

    @Test(.fault(64))
    func `in the demo, the primary's price is wrong for two beats and is discarded both times`() throws {
        let result = RunningProgram.run(
            "btc-price", ["--demo", "--median", "--json", "-n", "16", "--interval", "20ms"])
        let readings = try result.lines.suffix(2).map { try Reading(line: $0.utf8) }
        #expect(result.status == 0 && readings.map(\.quote?.price.text) == ["61189.97", "61189.96"])
        for reading in readings {
            #expect(reading.failures.map(\.source) == ["primary"] && reading.failures[0].kind == .disputed)
            #expect(reading.prices.count == 3 && !reading.isDisputed)
        }
    }

    @Test(.fault(64))
    func `no price is shown if half of the exchanges fail`() throws {
        answer(["60010.00", "59990.00"])
        // When
        let result = door.run(["--median", "-n", "1"])
        // Then
        #expect(result.status == 69 && result.output.hasPrefix("No price yet"), "\(result)")
    }
}
