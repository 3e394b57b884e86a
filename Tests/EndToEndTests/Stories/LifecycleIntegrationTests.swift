import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// Job control of the whole pipeline on a pseudo-terminal. The tests count the requests that the server receives.
@Suite(.endToEnd) struct LifecycleIntegrationTests {
    private let server = StubServer(.quote)
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()

    private func start(_ options: String = "", fallback: String = "exit 1") -> Terminal {
        let primary = "price-fetch --url \(server.url()) binance"
        let own = ["XDG_CACHE_HOME": folder.path, "PRIMARY": primary, "FALLBACK": fallback]
        let terminal = Terminal(environment: marked.environment.merging(own) { $1 })
        // A screen of this height also shows the source of the latest readings, below the chart.
        terminal.resize(80, 40)
        terminal.type("btc-price \(options) --primary \"$PRIMARY\" --fallback \"$FALLBACK\" 2>/dev/null\r")
        return terminal
    }

    /// Stops the foreground job and expects that it does not send any request during the next 2.2 seconds.
    private func stop(_ terminal: Terminal) {
        terminal.type("\u{1A}", expecting: "Stopped")
        let asked = server.requests.count
        terminal.pump(for: .milliseconds(2200))
        #expect(server.requests.count == asked)
    }

    @Test(.fault(27), arguments: [("", " - $68,901.23\n"), ("--screen", "binance")])
    func `after Ctrl-Z and fg, a new price is shown at once, and no banner appears`(
        option: String, price: String
    ) {
        // With this interval, even a busy machine prints the price long before the next beat.
        let terminal = start("--interval 2s \(option)")
        #expect(terminal.waitFor(price) && terminal.waitFor(price))
        stop(terminal)
        // When the job is continued
        let (asked, mark) = (server.requests.count, terminal.mark)
        terminal.type("fg\r")
        // Then
        #expect(terminal.waitFor(price, after: mark, within: .milliseconds(1800)))
        #expect(terminal.waitUntil(within: .milliseconds(1800)) { server.requests.count == asked + 1 })
        #expect(terminal.waitUntil { server.requests.count == asked + 2 })
        #expect(!terminal.screen.contains("Failed"))
        terminal.type("\u{3}")
    }

    @Test(.fault(27))
    func `a pipeline that is stopped in the middle of a request does not show a banner after fg`() {
        // Given an answer that takes 300 ms
        server.answer(with: .ok(FetchUnderTest.goodBody).after(.milliseconds(300)))
        let terminal = start(fallback: ShellSource.quoting("68890.00"))
        #expect(terminal.waitFor(" - $68,901.23\n"))
        // When the pipeline is stopped while it waits for an answer
        // And the pipeline stays stopped for much longer than the budget of a tick
        let asked = server.requests.count
        #expect(terminal.waitUntil { server.requests.count > asked })
        stop(terminal)
        // And the pipeline is continued, and the server answers at once
        server.answer(with: .quote)
        let mark = terminal.mark
        terminal.type("fg\r")
        // Then
        #expect(terminal.waitFor(" - $68,", after: mark) && terminal.waitFor(" - $68,"))
        #expect(!terminal.screen.contains("Failed"))
        terminal.type("\u{3}")
    }
}
