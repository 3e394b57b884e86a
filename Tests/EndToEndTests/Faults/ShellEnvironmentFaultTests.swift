import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Exported variables that change how bash works do not affect the scripts.
@Suite(.endToEnd) struct ShellEnvironmentFaultTests {
    private let folder = TemporaryFolder()

    /// Variables that do not mask each other are exported together.
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
    func `btc-price prints the same prices`(variables: String) {
        let result = run("btc-price -n 3 --primary \"$SOURCE\" --fallback \"$SOURCE\"", with: variables)
        #expect(result.lines == Array(repeating: "Nov 21, 14:03 - $68,901.23", count: 3))
        #expect(result.status == 0 && result.errors == "")
    }

    @Test(.fault(43), arguments: variables)
    func `price-clock keeps its interval`(variables: String) throws {
        let result = run("price-clock -n 2 --interval 1100ms --symbol ETH-USD", with: variables)
        let times = try result.ticks().compactMap(\.at?.milliseconds)
        #expect(result.lines.count == 2 && result.status == 0 && result.errors == "")
        #expect(try #require(times.last) - #require(times.first) == 1100)
    }

    @Test(.fault(43), arguments: variables)
    func `install installs the same files`(variables: String) throws {
        let script = Installation.script.shellQuoted
        let (usual, odd) = (Installation(), Installation())
        #expect(usual.install().status == 0)
        let result = run("\(script) --prefix \(odd.prefix.shellQuoted)", with: variables)
        #expect(result.status == 0 && result.errors == "")
        #expect(result.lines.first == "btc-price is installed in \(odd.prefix)")
        #expect(try odd.contents() == usual.contents())
    }

    @Test(
        .fault(43),
        arguments: ["set -euf", "IFS=e", "shopt -s failglob nullglob", "TMOUT=1", "set -o noclobber"])
    func `bash completion offers the same words under other shell settings`(settings: String) {
        let script = """
            \(settings); . "$0"; COMP_WORDS=(price-fetch ''); COMP_CWORD=1; _btc_price price-fetch
            printf '%s\\n' "${COMPREPLY[@]}"
            """
        let file = Programs.project.appending(path: "scripts/completions/btc-price.bash").path
        let result = RunningProgram.run("bash", ["-c", script, file])
        #expect(result.lines == PriceSource.all.map(\.name) + [EchoFeed.name])
        #expect(result.status == 0 && result.errors == "")
    }
}
