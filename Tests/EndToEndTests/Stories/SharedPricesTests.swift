import Foundation
import TestSupport
import TestTraits
import Testing

/// `btc-price --fresh-for`: all viewers that one user runs share the prices that any of them fetches.
@Suite(.endToEnd, .enabled(if: FakeClock.isInstalled, "needs libfaketime")) struct SharedPricesTests {
    private let folder = TemporaryFolder()
    private let clock = FakeClock()

    /// A source that logs each tick and then answers it.
    private var source: String {
        """
        while read -r tick; do at=${tick#*'"at":"'}; echo asked >>\(folder.path)/asked; printf \
        '%s,"source":"one","quote":{"value":"68901.23","currency":"USD","timestamp":"%s"}}\\n' "${tick%?}" "${at%%\\"*}"; done
        """
    }

    private func viewer(_ source: String, _ words: String...) -> RunningProgram {
        let fallback = "while read -r tick; do echo asked >>\(folder.path)/asked; done"
        return RunningProgram(
            "btc-price",
            ["--fresh-for", "1m", "--style", "bar", "--primary", source, "--fallback", fallback] + words,
            environment: clock.environment.merging(["XDG_CACHE_HOME": folder.path]) { $1 })
    }

    private var requests: Int { folder.contents("asked")?.split(separator: "\n").count ?? 0 }

    /// Expects that each viewer shows `lines` more lines, all with a price that is not stale.
    private func watch(_ viewers: [RunningProgram], for lines: Int) {
        for viewer in viewers { for _ in 0..<lines { #expect(viewer.readLine() == "$68,901.23") } }
    }

    /// Waits until each viewer has shown a price that is not stale.
    private func waitForPrices(_ viewers: [RunningProgram]) {
        for viewer in viewers { #expect(viewer.waitUntil { viewer.readLine() == "$68,901.23" }) }
    }

    /// Waits until each viewer has printed five more lines without any new request. At first, all viewers
    /// send requests until one of them has stored a price.
    ///
    /// - Returns: the number of requests so far; nil if the viewers do not stop sending requests.
    private func settledRequests(_ viewers: [RunningProgram]) -> Int? {
        for _ in 0..<20 {
            let before = requests
            for viewer in viewers {
                let enough = viewer.lineCount + 5
                #expect(viewer.waitUntil { viewer.lineCount >= enough })
            }
            if requests == before { return before }
        }
        return nil
    }

    @Test func `several viewers send requests only until one of them has stored a fresh price`() throws {
        let viewers = (0..<2).map { _ in viewer(source, "--interval", "50ms") }
        waitForPrices(viewers)
        let first = try #require(settledRequests(viewers))
        #expect(first > 0)
        watch(viewers, for: 10)
        #expect(requests == first)
        // When the stored price is over a minute old
        clock.set("+61")
        #expect(viewers[0].waitUntil { requests > first })
        // Then requests are sent only until a new price is stored. On a busy machine, storing the price may
        // take over a second.
        let second = try #require(settledRequests(viewers))
        #expect(second - first < 100)
    }

    @Test func `a price that is no longer fresh is shown as stale if all sources fail`() {
        let first = viewer(source, "--interval", "50ms")
        waitForPrices([first])
        first.signal(SIGTERM)
        #expect(first.result().status == 143)
        // When
        clock.set("+61")
        let second = viewer(ShellSource.failing, "--interval", "50ms")
        // Then the stored price is shown as soon as it is loaded
        var line: String?
        #expect(
            second.waitUntil {
                line = second.readLine()
                return line != "- (no price)"
            })
        #expect(line?.hasPrefix("$68,901.23 (stale: ") == true)
    }
}
