import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@Suite(.endToEnd) struct InstallTests {
    private let installation = Installation()
    private var prefix: String { installation.prefix }

    @Test func `every file is where the shells, man and the programs look for it, and is readable by all`()
        throws
    {
        // When
        let result = RunningProgram.run(
            "bash", ["-c", "umask 077; exec \"$0\" --prefix \"$1\"", Installation.script, prefix],
            environment: Installation.environment)
        // Then
        #expect(result.status == 0 && result.errors == "")
        let names = Command.all.map(\.name)
        let files =
            names.flatMap {
                [
                    "755 bin/\($0)", "644 share/man/man1/\($0).1",
                    "644 share/bash-completion/completions/\($0)",
                ]
            } + [
                "644 share/applications/btc-price.desktop",
                "644 share/zsh/site-functions/_btc-price", "644 share/btc-price/demo/narrate",
                "644 share/btc-price/demo/prices.csv", "644 share/btc-price/demo/source",
                "644 share/btc-price/demo/walk", "644 share/btc-price/front/options",
                "644 share/btc-price/front/words",
                "644 share/btc-price/front/modes", "644 share/btc-price/front/coins.tsv",
                "644 share/btc-price/front/stocks.tsv", "644 share/btc-price/directories",
                "644 share/btc-price/Containerfile", "644 share/systemd/user/btc-price.service",
                "644 share/man/man5/btc-price.5", "644 share/man/man7/btc-price-recipes.7",
            ]
        let folders = [
            "bin", "share", "share/applications", "share/bash-completion",
            "share/bash-completion/completions", "share/btc-price",
            "share/btc-price/demo", "share/btc-price/front",
            "share/man", "share/man/man1", "share/man/man5", "share/man/man7", "share/systemd",
            "share/systemd/user", "share/zsh",
            "share/zsh/site-functions",
        ].map { "755 \($0)" }
        #expect(try Set(installation.contents()) == Set(files + folders))
    }

    @Test func `what is installed runs with nothing but the system on the PATH`() {
        #expect(installation.install().status == 0)
        let result = RunningProgram.run(
            "\(prefix)/bin/btc-price", ["--demo", "-n", "2", "--interval", "50ms"],
            environment: ["PATH": "/usr/bin:/bin"])
        #expect(result.lines.map { $0.suffix(10) } == ["$61,175.98", "$61,177.88"] && result.status == 0)
    }

    @Test func `the script reports where it has installed, and what to do when that is not on the PATH`() {
        let path = prefix.replacing(" ", with: "\\ ")
        #expect(
            installation.install().output == """
                btc-price is installed in \(prefix)
                to run it by name: export PATH=\(path)/bin:$PATH

                """)
        let onPath = installation.install(environment: ["PATH": "/usr/bin:/bin:\(prefix)/bin"])
        #expect(onPath.output == "btc-price is installed in \(prefix)\n" && onPath.errors == "")
    }

    @Test func `a second installation replaces everything, and does not disturb a program that runs`() throws
    {
        #expect(installation.install().status == 0)
        let before = try installation.contents()
        // Given an older version, of which a program runs
        let running = RunningProgram("\(prefix)/bin/price-format")
        running.write(quoteLine(tick: 1) + "\n")
        #expect(running.readLine() != nil)
        try installation.write("older", to: "bin/btc-price")
        // When
        #expect(installation.install().status == 0)
        // Then
        running.write(quoteLine(tick: 2) + "\n")
        #expect(running.readLine() != nil && running.finish().status == 0)
        #expect(try installation.contents() == before)
        #expect(RunningProgram.run("\(prefix)/bin/btc-price", ["--version"]).status == 0)
    }

    @Test func `after an uninstallation everything is as before, and the files of others are still there`()
        throws
    {
        // Given
        try installation.make("bin")
        try installation.make("share/man")
        try installation.write("mine", to: "bin/mine")
        let before = try installation.contents()
        // When
        #expect(installation.install().status == 0 && installation.install().status == 0)
        let result = installation.install("--uninstall")
        // Then
        #expect(result.status == 0 && result.output == "btc-price is no longer installed in \(prefix)\n")
        #expect(try installation.contents() == before)
    }

    @Test func `an uninstallation deletes a prefix that it has made, unless there are files of others`()
        throws
    {
        #expect(installation.install().status == 0 && installation.install("--uninstall").status == 0)
        #expect(!FileManager.default.fileExists(atPath: prefix))
        #expect(installation.install().status == 0)
        try installation.write("mine", to: "share/man/man1/mine.1")
        #expect(installation.install("--uninstall").status == 0)
        #expect(
            try installation.contents().map { $0.dropFirst(4) }
                == ["share", "share/man", "share/man/man1", "share/man/man1/mine.1"])
    }

    @Test func `where nothing is installed, --uninstall reports that and succeeds`() {
        let result = installation.install("--uninstall")
        #expect(result.status == 0 && result.output == "btc-price is not installed in \(prefix)\n")
    }

    @Test func `a file in the place of a directory is one line and status 74, and nothing is left`() throws {
        try installation.make("")
        try installation.write("", to: "share")
        let result = installation.install()
        #expect(result.status == 74 && result.output == "")
        #expect(result.errors == "install: error: cannot make \(prefix)/share: File exists\n")
        #expect(try installation.contents() == ["644 share"])
    }

    @Test func `a directory in the place of a file is one line and status 74, and the old version stays`()
        throws
    {
        // Given an installation that can't be replaced in all its parts
        #expect(installation.install().status == 0)
        try installation.write("older", to: "bin/price-fetch")
        try FileManager.default.removeItem(atPath: "\(prefix)/bin/price-format")
        try installation.make("bin/price-format")
        let before = try installation.contents()
        // When
        let result = installation.install()
        // Then
        #expect(result.status == 74 && result.output == "")
        #expect(result.errors == "install: error: cannot write \(prefix)/bin/price-format: Is a directory\n")
        #expect(try installation.contents() == before)
        #expect(try String(contentsOfFile: "\(prefix)/bin/price-fetch", encoding: .utf8) == "older")
    }

    @Test(.enabled(if: Programs.canMount, "needs unshare, and the right to mount"))
    func `a full disk is one line and status 74, and nothing is left`() throws {
        let script = """
            mount -t tmpfs -o size=2m none /mnt && "$0" --prefix /mnt/prefix; echo $?; ls -A /mnt
            """
        let result = RunningProgram.run(
            "unshare", ["-rm", "sh", "-c", script, Installation.script],
            environment: Installation.environment)
        #expect(result.output == "74\n")
        #expect(result.errors.hasPrefix("install: error: cannot write /mnt/prefix/"))
        #expect(
            result.errors.hasSuffix(": No space left on device\n") && result.errors.count { $0 == "\n" } == 1)
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP])
    func `an installation that is ended by a signal leaves nothing`(signal: Int32) {
        // Given copies that take their time
        let tools = TemporaryFolder()
        tools.addTool("cp", "sleep 0.1\nexec /bin/cp \"$@\"")
        let running = RunningProgram(
            Installation.script, ["--prefix", prefix],
            environment: Installation.environment.merging(["PATH": "\(tools.path):/usr/bin:/bin"]) { $1 })
        let pages = "\(prefix)/share/man/man1"
        #expect(running.waitUntil(within: .seconds(10)) { FileManager.default.fileExists(atPath: pages) })
        // When
        running.signal(signal)
        // Then
        #expect(running.result().status == 128 + signal && running.errors == "")
        #expect(!FileManager.default.fileExists(atPath: prefix))
    }

    @Test func `a program that is not built is reported by name, with status 69`() {
        let result = installation.install(environment: ["BTC_PRICE_PROGRAMS": "/dev/null"])
        #expect(
            result.status == 69 && result.errors == "install: error: /dev/null/price-fetch is missing\n")
        #expect(!FileManager.default.fileExists(atPath: prefix))
    }

    @Test func `for a package everything goes below DESTDIR`() throws {
        let destination = TemporaryFolder()
        let result = installation.install(environment: ["DESTDIR": destination.path])
        #expect(result.status == 0 && result.output == "btc-price is installed in \(prefix)\n")
        #expect(!FileManager.default.fileExists(atPath: prefix))
        #expect(try installation.contents(of: destination.path + prefix).contains("755 bin/btc-price"))
    }

    @Test func `the prefix may be the root of the file system`() {
        let destination = TemporaryFolder()
        let words = ["--prefix", "/"]
        let environment = Installation.environment.merging(["DESTDIR": destination.path]) { $1 }
        for (word, state) in [([], "is"), (["--uninstall"], "is no longer"), (["--uninstall"], "is not")] {
            let result = RunningProgram.run(Installation.script, words + word, environment: environment)
            #expect(result.output == "btc-price \(state) installed in /\n" && result.status == 0)
        }
    }

    @Test(arguments: [
        (["--wrong=3"], "unknown option --wrong"), (["-x5"], "unknown option -x"),
        (["--prefix"], "missing value for --prefix"), (["--uninstall=1"], "--uninstall takes no value"),
        (["a\u{1B}b"], "unexpected argument 'a?b'"),
    ])
    func `usage errors have the words of the programs`(words: [String], message: String) {
        let result = RunningProgram.run(Installation.script, words)
        #expect(result.status == 64 && result.output == "")
        #expect(result.errors == "install: error: \(message)\ninstall: try 'scripts/install --help'\n")
    }

    @Test func `without a prefix the user's own folder is used, without root`() throws {
        let home = TemporaryFolder()
        let result = RunningProgram.run(
            Installation.script, environment: Installation.environment.merging(["HOME": home.path]) { $1 })
        #expect(result.output.hasPrefix("btc-price is installed in \(home.path)/.local\n"))
        #expect(try installation.contents(of: home.path).contains("755 .local/bin/btc-price"))
    }

    @Test(arguments: [
        ["--wrong"], ["operand"], ["--prefix"], ["--prefix", ""], ["--prefix="], ["--prefix", "/a:b"],
    ])
    func `wrong usage is one line and a hint, and status 64`(words: [String]) {
        let result = RunningProgram.run(Installation.script, words)
        #expect(result.status == 64 && result.output == "" && result.errors.split(separator: "\n").count == 2)
        #expect(
            result.errors.hasPrefix("install: error: ")
                && result.errors.hasSuffix("try 'scripts/install --help'\n"))
    }

    @Test func `the script has a help and a version`() {
        for option in ["-h", "--help"] {
            let help = RunningProgram.run(Installation.script, [option])
            #expect(help.status == 0 && help.errors == "" && help.lines.first?.hasPrefix("install: ") == true)
        }
        #expect(RunningProgram.run(Installation.script, ["--version"]).output == "install \(version)\n")
    }
}
