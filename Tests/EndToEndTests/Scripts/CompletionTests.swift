import Foundation
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Tab completion in real shells.
@Suite(.endToEnd) struct CompletionTests {
    private static let folder = Programs.project.appending(path: "scripts/completions").path
    private let sources = PriceSource.all.map(\.name) + [EchoFeed.name]

    /// The completions that bash offers for the last word.
    private func offered(_ words: String..., settings: String = ":") -> [String] {
        let script = """
            \(settings); . "$0"; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _btc_price "$1"
            ((${#COMPREPLY[@]} == 0)) || printf '%s\\n' "${COMPREPLY[@]}"
            """
        let result = RunningProgram.run("bash", ["-uc", script, "\(Self.folder)/btc-price.bash"] + words)
        #expect(result.status == 0 && result.errors == "")
        return result.lines
    }

    @Test(arguments: Command.all)
    func `bash offers exactly the options that the help lists`(command: Command) {
        #expect(offered(command.name, "-") == command.names)
        #expect(offered(command.name, "--vers") == ["--version"])
    }

    @Test func `bash offers sources for commands that take a source, and options for other commands`() {
        #expect(offered("price-fetch", "") == sources)
        #expect(offered("price-fetch", "--once", "b") == sources.filter { $0.hasPrefix("b") })
        #expect(offered("price-fallback", "price-fetch\\ k") == ["price-fetch\\ kraken"])
        #expect(offered("btc-price", "").contains("--demo"))
        #expect(offered(Programs.folder.appending(path: "price-cache").path, "--fi") == ["--file"])
        #expect(offered("no/such/price-cache", "--f") == [])
    }

    @Test(
        .fault(43),
        arguments: ["set -euf", "IFS=e", "shopt -s failglob nullglob", "TMOUT=1", "set -o noclobber"])
    func `unusual shell settings do not change the completions that bash offers`(settings: String) {
        #expect(offered("price-fetch", "", settings: settings) == sources)
    }

    @Test func `bash offers the values or files that an option accepts, even after an equals sign`() {
        let commands = sources.map { "price-fetch\\ \($0)" }
        #expect(offered("btc-price", "--primary", "") == commands)
        #expect(offered("btc-price", "--fallback", "=") == commands)
        let some = commands.filter { $0.contains(" c") }
        #expect(offered("btc-price", "--fallback", "=", "price-fetch\\ c") == some)
        #expect(offered("price-format", "--style", "pl") == ["plain"])
        #expect(offered("price-cache", "--file", "/etc/host").contains("/etc/hosts"))
        #expect(offered("price-fetch", "--timeout", "") == [])
    }

    @Test(
        .enabled(if: FileManager.default.fileExists(atPath: bashCompletion), "needs bash-completion"),
        arguments: Command.all)
    func `bash-completion finds the installed completions`(command: Command) {
        let script = ". \(bashCompletion); _completion_loader \(command.name); complete -p \(command.name)"
        let result = RunningProgram.run(
            "bash", ["-c", script], environment: ["XDG_DATA_DIRS": "\(Installation.shared.prefix)/share"])
        #expect(result.output == "complete -F _btc_price \(command.name)\n")
    }

    @Test(.enabled(if: Programs.has("zsh"), "needs zsh"), arguments: Command.all)
    func `zsh offers exactly the options that the help lists`(command: Command) {
        let script = """
            fpath=(\(Self.folder.shellQuoted) $fpath); autoload -Uz _btc-price
            _arguments() { print -rl -- "$@" }
            words=(\(command.name)); _btc-price
            """
        let result = RunningProgram.run("zsh", ["-fc", script])
        let specifications = result.lines.filter { !$0.hasPrefix("1:") && !$0.hasPrefix("*:") }
        let offered = specifications.compactMap {
            $0.firstMatch(of: #/^(?:\(.*?\)|\*)?(-[^=\[]+)/#)?.output.1
        }
        #expect(offered.map(String.init) == command.names && offered.count == specifications.count)
        #expect(result.status == 0 && result.errors == "")
        #expect(
            result.lines.contains("1:source:(\(sources.joined(separator: " ")))")
                == (command.name == "price-fetch"))
    }

    @Test(.enabled(if: Programs.has("zsh") && Programs.has("tmux"), "needs zsh and tmux"))
    func `zsh lists the commands for --primary at the first Tab`() {
        let folder = TemporaryFolder()
        folder.write(
            ".zshrc",
            """
            PATH=\(Programs.folder.path.shellQuoted):$PATH; PS1='ready> '
            fpath=(\(Self.folder.shellQuoted) $fpath); autoload -Uz compinit; compinit -u -D
            """)
        let terminal = TmuxTerminal(100, 20, running: "ZDOTDIR=\(folder.path) zsh -d")
        #expect(terminal.text { $0.contains("ready>") }.contains("ready>"))
        // When
        terminal.type("btc-price --primary ", "Tab")
        // Then
        #expect(terminal.text { $0.contains("kraken") }.contains("price-fetch\\ kraken"))
    }

    @Test(.enabled(if: Programs.has("zsh"), "needs zsh"))
    func `the zsh script is valid and registers itself for all six commands`() throws {
        let file = "\(Self.folder)/_btc-price"
        #expect(RunningProgram.run("zsh", ["-n", file]).status == 0)
        let first = try String(contentsOfFile: file, encoding: .utf8).prefix { $0 != "\n" }
        #expect(
            Set(first.split(separator: " ").map(String.init)) == Set(Command.all.map(\.name) + ["#compdef"]))
    }

    /// The completions that fish offers at the end of a command line, without their descriptions.
    private func offeredByFish(_ line: String) -> [String] {
        let result = RunningProgram.run(
            "fish",
            ["-N", "-c", "source $argv[1]; complete -C $argv[2]", "\(Self.folder)/btc-price.fish", line])
        #expect(result.status == 0 && result.errors == "")
        return result.lines.map { String($0.prefix { $0 != "\t" }) }
    }

    @Test(.enabled(if: Programs.has("fish"), "needs fish"), arguments: Command.all)
    func `fish offers exactly the options that the help lists`(command: Command) {
        #expect(offeredByFish("\(command.name) -").sorted() == command.names.sorted())
        #expect(offeredByFish("\(command.name) --vers") == ["--version"])
    }

    @Test(.enabled(if: Programs.has("fish"), "needs fish"))
    func `fish offers the sources and each option's values or files, even after an equals sign`() {
        let commands = sources.map { "price-fetch \($0)" }.sorted()
        #expect(offeredByFish("price-fetch ") == sources.sorted())
        #expect(offeredByFish("price-fallback price-fetch\\ k") == ["price-fetch kraken"])
        #expect(offeredByFish("btc-price --primary ") == commands)
        #expect(offeredByFish("btc-price --fallback=") == commands.map { "--fallback=\($0)" })
        #expect(offeredByFish("price-format --style pl") == ["plain"])
        #expect(offeredByFish("price-format --style=pl") == ["--style=plain"])
        #expect(offeredByFish("price-cache --file /etc/host").contains("/etc/hosts"))
        #expect(offeredByFish("price-cache --file=/etc/host").contains("--file=/etc/hosts"))
        #expect(offeredByFish("price-fetch --timeout ") == [])
        #expect(offeredByFish("no/such/price-cache --f") == [])
    }
}

private let bashCompletion = "/usr/share/bash-completion/bash_completion"
