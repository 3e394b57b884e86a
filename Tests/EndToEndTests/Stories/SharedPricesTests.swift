import Foundation
import TestSupport
import TestTraits
import Testing

/// `btc-price --fresh-for`: the viewers of one user share what one of them has fetched.
@Suite(.endToEnd, .enabled(if: FakeClock.isInstalled, "needs libfaketime")) struct SharedPricesTests {
    private let folder = TemporaryFolder()
    private let clock = FakeClock()

    /// A source that counts what it is asked.
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

    /// Waits until each of the viewers has shown more lines, all of them with a new price.
    private func watch(_ viewers: [RunningProgram], for lines: Int) {
        for viewer in viewers {
            for _ in 0..<lines { #expect(viewer.readLine() == "$68,901.23") }
        }
    }

    /// Waits until a viewer has shown a new price, however long the start of the pipelines takes.
    private func waitForPrices(_ viewers: [RunningProgram]) {
        for viewer in viewers {
            #expect(viewer.waitUntil(within: .seconds(20)) { viewer.readLine() == "$68,901.23" })
        }
    }

    @Test func `several viewers ask each about once a minute, and not at every tick`() {
        let viewers = (0..<3).map { _ in viewer(source, "--interval", "50ms") }
        waitForPrices(viewers)
        let first = requests
        #expect(first > 0)
        watch(viewers, for: 15)
        #expect(requests == first)
        // When the minute is over
        clock.set("+61")
        #expect(viewers[0].waitUntil(within: .seconds(20)) { requests > first })
        // Then ticks ask only until the price is stored
        for viewer in viewers { while viewer.lineCount < 30, viewer.readLine() != nil {} }
        let second = requests
        #expect(second - first < 45)
        for viewer in viewers { for _ in 0..<10 { #expect(viewer.readLine() != nil) } }
        #expect(requests == second)
    }

    @Test func `a price that is not fresh any more is shown as stale when nobody answers`() {
        let first = viewer(source, "--interval", "50ms")
        waitForPrices([first])
        first.signal(SIGTERM)
        #expect(first.result().status == 143)
        // When
        clock.set("+61")
        let result = viewer(ShellSource.failing, "-n1").finish()
        // Then
        #expect(result.lines.first?.hasPrefix("$68,901.23 (stale: ") == true && result.lines.count == 1)
        #expect(result.status == 0)
    }
}
