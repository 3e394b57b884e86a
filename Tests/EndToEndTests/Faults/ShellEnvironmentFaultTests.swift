import TestSupport
import TestTraits
import Testing

/// Exported variables that change how bash works do not affect the scripts.
@Suite(.endToEnd) struct ShellEnvironmentFaultTests {
    private let folder = TemporaryFolder()

    /// Variables are exported together only if they do not mask each other's effects.
    private static let variables = [
        "TMOUT=1 GLOBIGNORE=* IFS=e BASH_ENV=startup", "POSIXLY_CORRECT=1 SHELLOPTS=monitor",
        "SHELLOPTS=histexpand:history BASHOPTS=failglob:nullglob:nocasematch",
        "SHELLOPTS=errexit:noglob:noclobber",
    ]

    /// Runs a shell command with these variables exported.
    private func run(_ command: String, with variables: String) -> RunningProgram.Result {
        folder.write("startup", "set -e -f; shopt -s failglob; IFS=e; trap 'exit 7' EXIT; printf() { :; }\n")
        return RunningProgram.shell(
            "cd \(folder.path) && set -f && env \(variables) \(command)",
            environment: Installation.environment.merging([
                "XDG_CACHE_HOME": folder.path, "SOURCE": ShellSource.quoting("68901.23"),
            ]) { $1 })
    }

    @Test(.fault(43), arguments: variables)
    func `exported shell variables do not change the prices that btc-price prints`(variables: String) {
        let sources = #"--primary "$SOURCE" --fallback "$SOURCE""#
        let result = run("btc-price -n 2 --interval 1100ms \(sources)", with: variables)
        #expect(result.lines == Array(repeating: "Nov 21, 14:03 - $68,901.23", count: 2))
        #expect(result.status == 0 && result.errors == "")
    }

    @Test(.fault(43), arguments: variables)
    func `exported shell variables do not change the interval of price-clock`(variables: String) throws {
        let result = run("price-clock -n 2 --interval 1100ms --symbol ETH-USD", with: variables)
        let times = try result.ticks().compactMap(\.at?.milliseconds)
        #expect(result.lines.count == 2 && result.status == 0 && result.errors == "")
        #expect(try #require(times.last) - #require(times.first) == 1100)
    }

    @Test(.fault(43), arguments: variables)
    func `exported shell variables do not change which files are installed`(variables: String) throws {
        let script = Installation.script.shellQuoted
        let odd = Installation()
        let result = run("\(script) --prefix \(odd.prefix.shellQuoted)", with: variables)
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.first == "btc-price is installed in \(odd.prefix)")
        #expect(try odd.contents() == Installation.shared.contents())
    }
}
