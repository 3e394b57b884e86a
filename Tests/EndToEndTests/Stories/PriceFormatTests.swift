import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The program `price-format` and its environment: it uses the time zone and ignores the locale.
@Suite(.endToEnd) struct PriceFormatTests {
    private func show(_ line: String, zone: String = "UTC0", more: [String: String] = [:]) -> String {
        let environment = more.merging(["TZ": zone]) { $1 }
        return RunningProgram.run("price-format", input: line, environment: environment).output
    }

    @Test func `each reading is printed as soon as it arrives`() {
        let running = RunningProgram("price-format", environment: ["TZ": "UTC0"])
        for _ in 0..<3 {
            running.write(quoteLine() + "\n")
            #expect(running.readLine() == "Nov 21, 14:03 - $68,901.23")
        }
        #expect(running.finish().status == 0)
    }

    @Test(arguments: ["unconfigured", "unconfigured_DE", "C", "xx_YY.UTF-8", "@"])
    func `a locale of the environment that does not exist changes nothing`(name: String) {
        #expect(show(quoteLine(), more: ["LC_ALL": name]) == "Nov 21, 14:03 - $68,901.23\n")
    }

    @Test(arguments: [
        ("UTC0", "Nov 21, 14:03"), ("Asia/Tokyo", "Nov 21, 23:03"), (":America/New_York", "Nov 21, 09:03"),
        ("EST5EDT", "Nov 21, 09:03"), ("<+0330>-3:30", "Nov 21, 17:33"), ("UTC-14", "Nov 22, 04:03"),
        ("XXX-20", "Nov 22, 10:03"),
    ])
    func `times are local for every form of TZ`(zone: String, time: String) {
        #expect(show(quoteLine(), zone: zone) == "\(time) - $68,901.23\n")
    }

    @Test(arguments: [
        ("2026-03-29T00:59:59.999Z", "Mar 29, 01:59"), ("2026-03-29T01:00:00.000Z", "Mar 29, 03:00"),
    ])
    func `daylight saving time depends on the time of the quote`(received: String, time: String) {
        let line = quoteLine(at: Timestamp(received)!)
        #expect(show(line, zone: "Europe/Berlin") == "\(time) - $68,901.23\n")
    }

    @Test(
        .enabled(if: ForeignLocale.areInstalled, "needs the locales de_DE and tr_TR"),
        arguments: ForeignLocale.names + ["C", ""])
    func `the locale of the environment changes nothing`(locale: String) {
        let environment = ["LANG": locale, "LC_ALL": locale]
        #expect(show(quoteLine(), more: environment) == "Nov 21, 14:03 - $68,901.23\n")
    }
}
