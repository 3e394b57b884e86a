import Foundation
import TestSupport
import TestTraits
import Testing

/// The output is the same in any environment, byte for byte, except that the time zone changes the displayed
/// time.
@Suite(.endToEnd) struct EnvironmentFaultTests {
    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()

    @Test(
        .fault(36),
        arguments: [
            "env -u HOME", "env", "env LC_ALL=nonsense", "env -i HOME=/ PATH=", "env LC_ALL=C",
            "env POSIXLY_CORRECT=1",
        ] + ForeignLocale.names.map { "env LANG=\($0) LC_ALL=\($0)" })
    func `the output is the same in odd environments and other locales`(environment: String) throws {
        if environment.contains("UTF-8"), !ForeignLocale.areInstalled {
            try skip("needs the locales de_DE and tr_TR")
        }
        let recording =
            quoteLine("68901.23", symbol: "ETH-USD") + "\n" + failureLine(symbol: "ETH-USD") + "\n"
        let paths = ["price-cache", "price-format"].map { "\(Programs.folder.path.shellQuoted)/\($0)" }
        let usual = RunningProgram.shell(
            "\(paths[0]) --file \(folder.path)/usual | /usr/bin/env TZ=UTC0 \(paths[1])", input: recording)
        // When the same lines are processed in the odd environment
        let change = "/usr/bin/\(environment)"
        let odd = RunningProgram.shell(
            "umask 000; \(change) \(paths[0]) --file \(folder.path)/odd | \(change) TZ=UTC0 \(paths[1])",
            input: recording)
        // Then the output and the stored quote are the same, and only the user may read the file
        #expect(odd.output == usual.output && odd.lines.count == 3 && odd.errors == "" && odd.status == 0)
        #expect(folder.contents("odd") == folder.contents("usual"))
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/odd")
        #expect(attributes[.posixPermissions] as? Int == 0o600)
    }

    @Test(
        .fault(36),
        arguments: ["", "Nowhere/Else", ":", "Foo-3:30", "<+0330>-3:30", "../../etc/passwd", "UTC0"])
    func `an odd time zone changes only the displayed time`(zone: String) throws {
        let result = RunningProgram.run("price-format", input: quoteLine(), environment: ["TZ": zone])
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.first?.wholeMatch(of: /Nov 2[12], \d\d:\d\d - \$68,901\.23/) != nil)
    }
}
