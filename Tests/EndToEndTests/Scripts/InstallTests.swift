import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@Suite(.endToEnd) struct InstallTests {
    private let installation = Installation()
    private var prefix: String { installation.prefix }

    @Test func `exactly the expected files are installed, readable by all users despite umask 077`() throws {
        // When
        let result = RunningProgram.run(
            "bash", ["-c", "umask 077; exec \"$0\" --prefix \"$1\"", Installation.script, prefix],
            environment: Installation.environment)
        // Then
        #expect(result.status == 0 && result.errors == "")
        let ofCommands = Command.all.map(\.name).flatMap {
            [
                "755 bin/\($0)", "644 share/man/man1/\($0).1", "644 share/bash-completion/completions/\($0)",
                "644 share/fish/vendor_completions.d/\($0).fish",
            ]
        }
        let shared = [
            "demo/narrate", "demo/prices.txt", "demo/source", "front/options", "front/words",
            "front/modes", "front/coins.tsv", "front/stocks.tsv", "Containerfile",
        ].map { "644 share/btc-price/\($0)" }
        let others = [
            "applications/btc-price.desktop", "zsh/site-functions/_btc-price",
            "systemd/user/btc-price.service", "man/man5/btc-price.5", "man/man7/btc-price-recipes.7",
        ].map { "644 share/\($0)" }
        let contents = try installation.contents()
        #expect(
            Set(contents.filter { !$0.hasPrefix("755 share") && $0 != "755 bin" })
                == Set(ofCommands + shared + others))
    }

    @Test(.enabled(if: Programs.has("mandb"), "needs man-db"))
    func `the command apropos bitcoin finds the manual pages of btc-price and price-fetch`() {
        let pages = "\(prefix)/share/man"
        #expect(installation.install().status == 0)
        // When
        #expect(RunningProgram.run("mandb", ["--quiet", "--create", pages]).status == 0)
        let found = RunningProgram.run("apropos", ["--manpath", pages, "bitcoin"]).lines
        // Then
        let names = found.map { $0.split(separator: " ").prefix(2).joined() }
        #expect(names == ["btc-price(1)", "btc-price(5)", "btc-price-recipes(7)", "price-fetch(1)"])
    }

    @Test func `the installed programs run even if only the system's folders are on the PATH`() {
        let path = prefix.replacing(" ", with: "\\ ")
        #expect(
            installation.install().output
                == "btc-price is installed in \(prefix)\nto run it by name: export PATH=\(path)/bin:$PATH\n")
        let result = RunningProgram.run(
            "\(prefix)/bin/btc-price", ["--demo", "-n", "2", "--interval", "50ms"],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(result.lines.map { $0.suffix(10) } == ["$61,175.98", "$61,177.88"] && result.status == 0)
    }

    @Test func `a second installation replaces an old script and leaves a running program alone`() throws {
        #expect(installation.install().status == 0)
        let before = try installation.contents()
        // Given a running program and an older script
        let running = RunningProgram("\(prefix)/bin/price-format")
        running.write(quoteLine(tick: 1) + "\n")
        #expect(running.readLine() != nil)
        try installation.write("older", to: "bin/btc-price")
        // When
        let result = installation.install(environment: ["PATH": "/usr/bin:/bin:\(prefix)/bin"])
        // Then
        #expect(result.output == "btc-price is installed in \(prefix)\n" && result.errors == "")
        running.write(quoteLine(tick: 2) + "\n")
        #expect(running.readLine() != nil && running.finish().status == 0)
        #expect(try installation.contents() == before)
        #expect(RunningProgram.run("\(prefix)/bin/btc-price", ["--version"]).status == 0)
    }

    @Test func `uninstalling removes everything that was installed but no other files`() throws {
        #expect(installation.install().status == 0)
        try installation.write("mine", to: "share/man/man1/mine.1")
        // When
        let result = installation.install("--uninstall")
        // Then
        #expect(result.status == 0 && result.output == "btc-price is no longer installed in \(prefix)\n")
        #expect(
            try installation.contents().map { $0.dropFirst(4) }
                == ["share", "share/man", "share/man/man1", "share/man/man1/mine.1"])
        // And if no other files are left, the folder given with --prefix is removed as well
        #expect(installation.install().status == 0)
        try FileManager.default.removeItem(atPath: "\(prefix)/share/man/man1/mine.1")
        #expect(installation.install("--uninstall").status == 0)
        #expect(!FileManager.default.fileExists(atPath: prefix))
        #expect(installation.install("--uninstall").output == "btc-price is not installed in \(prefix)\n")
    }

    @Test func `a file or folder that is in the way causes one error line and status 74`() throws {
        try installation.make("share/zsh")
        try installation.write("", to: "share/zsh/site-functions")
        func expectError(_ message: String) {
            let result = installation.install()
            #expect(result.status == 74 && result.output == "")
            #expect(result.errors == "install: error: cannot write \(prefix)/\(message)\n")
        }
        expectError("share/zsh/site-functions/_btc-price: File exists")
        try FileManager.default.removeItem(atPath: "\(prefix)/bin/price-format")
        try installation.make("bin/price-format")
        expectError("bin/price-format: Is a directory")
    }

    @Test(.enabled(if: Programs.canMount, "needs unshare, and the right to mount"))
    func `a full disk causes one error line and status 74`() throws {
        let script = "mount -t tmpfs -o size=2m none /mnt && \"$0\" --prefix /mnt/prefix"
        let result = RunningProgram.run(
            "unshare", ["-rm", "sh", "-c", script, Installation.script],
            environment: Installation.environment)
        #expect(result.status == 74 && result.errors.hasPrefix("install: error: cannot write /mnt/prefix/"))
        #expect(
            result.errors.hasSuffix(": No space left on device\n") && result.errors.count { $0 == "\n" } == 1)
    }

    @Test func `a program that is not built is reported by name, with status 69`() {
        let result = installation.install(environment: ["BTC_PRICE_PROGRAMS": "/dev/null"])
        #expect(
            result.status == 69 && result.errors == "install: error: /dev/null/price-fetch is missing\n")
        #expect(!FileManager.default.fileExists(atPath: prefix))
    }

    @Test func `all files are installed below the folder in DESTDIR, even if the prefix is /`() throws {
        let destination = TemporaryFolder()
        let environment = ["DESTDIR": destination.path]
        let result = installation.install(environment: environment)
        #expect(result.status == 0 && result.output == "btc-price is installed in \(prefix)\n")
        #expect(!FileManager.default.fileExists(atPath: prefix))
        #expect(try installation.contents(of: destination.path + prefix).contains("755 bin/btc-price"))
        for (word, state) in [([], "is"), (["--uninstall"], "is no longer"), (["--uninstall"], "is not")] {
            let result = RunningProgram.run(
                Installation.script, ["--prefix", "/"] + word,
                environment: Installation.environment.merging(environment) { $1 })
            #expect(result.output == "btc-price \(state) installed in /\n" && result.status == 0)
        }
    }

    @Test(arguments: [
        (["--wrong=3"], "unknown option --wrong"), (["-x5"], "unknown option -x"),
        (["--prefix"], "missing value for --prefix"), (["--prefix="], "missing value for --prefix"),
        (["--uninstall=1"], "--uninstall takes no value"), (["a\u{1B}b"], "unexpected argument 'a?b'"),
        (["--prefix", "/a:b"], "invalid value '/a:b' for --prefix: expected a path without a colon"),
    ])
    func `a usage error names the cause and points to the script's help`(words: [String], message: String) {
        let result = RunningProgram.run(Installation.script, words)
        #expect(result.status == 64 && result.output == "")
        #expect(result.errors == "install: error: \(message)\ninstall: try 'scripts/install --help'\n")
    }

    @Test func `the install script prints its help and version`() {
        for option in ["-h", "--help"] {
            let help = RunningProgram.run(Installation.script, [option])
            #expect(help.status == 0 && help.errors == "" && help.lines.first?.hasPrefix("install: ") == true)
        }
        #expect(RunningProgram.run(Installation.script, ["--version"]).output == "install \(version)\n")
    }
}
