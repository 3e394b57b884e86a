import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The messages that a new user may get about missing requirements, wrong usage, builds and failing sources.
@Suite(.endToEnd) struct FirstRunTests {
    private let folder = TemporaryFolder()

    /// Makes a separate checkout that contains the scripts but no built programs.
    init() throws {
        for name in ["scripts", "Sources/price-fetch", "tools"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        try Programs.copyScripts(
            ["btc-price", "build", "price-clock"], to: URL(filePath: "\(folder.path)/scripts"))
        folder.write("Package.swift", "")
        folder.write("Sources/price-fetch/main.swift", "")
    }

    /// Runs the checkout's `btc-price`. The PATH contains the folder `tools` and, by default, the system's
    /// folders.
    private func run(_ words: String, path: String = ":/usr/bin:/bin") -> RunningProgram.Result {
        RunningProgram.shell(
            "\(folder.path)/scripts/btc-price \(words)",
            environment: ["PATH": "\(folder.path)/tools\(path)", "XDG_CACHE_HOME": folder.path])
    }

    private var log: String { folder.contents("log") ?? "" }

    /// Adds a replacement for `swift` that builds nothing: it logs each call and makes symbolic links to the
    /// programs under test.
    private func addSwift() {
        let built = Programs.folder.path.shellQuoted
        folder.addTool(
            "tools/swift",
            """
            echo build $BTC_PRICE_TARGETS >> \(folder.path)/log
            case $* in *" --scratch-path "*) folder=.build-demo/debug ;; *) folder=.build/release ;; esac
            mkdir -p \(folder.path)/$folder
            ln -sf \(built)/price-* \(folder.path)/$folder
            """)
    }

    @Test(arguments: ["btc-price", "price-clock"])
    func `a bash that is too old is reported with its version and the required version`(script: String) throws
    {
        // The required version is raised, so that the installed bash is too old.
        for name in ["btc-price", "price-clock"] {
            let text = try String(contentsOf: Programs.folder.appending(path: name), encoding: .utf8)
            folder.write(name, text.replacing("BASH_VERSINFO[0] < 5", with: "BASH_VERSINFO[0] < 99"))
        }
        let result = RunningProgram.run("bash", ["\(folder.path)/\(script)"])
        #expect(result.status == 64 && result.output == "")
        #expect(
            result.errors.wholeMatch(
                of: /(btc-price|price-clock): error: bash 5 or later is required, but this is bash 5[^\n]*\n/)
                != nil)
    }

    @Test func `without Swift, btc-price names the required version and links to the installation page`() {
        // The PATH contains only the tools that the scripts need to notice that Swift is missing.
        let tools = "for tool in bash dirname readlink; do ln -s \"$(command -v $tool)\" tools; done"
        #expect(RunningProgram.shell("cd \(folder.path); \(tools)").status == 0)
        let result = run("--demo -n 1", path: "")
        #expect(result.status == 69 && result.output == "")
        #expect(
            result.errors
                == "btc-price: error: Swift 6.3 is required to build the programs: see https://www.swift.org/install\n"
        )
    }

    @Test func `if a build fails, the compiler's message is printed, and the status is 70`() {
        folder.addTool("tools/swift", "echo 'error: tools version 6.2.0 is needed' >&2; exit 1")
        let result = run("-n 1")
        #expect(result.status == 70 && result.output == "")
        #expect(
            result.errors.hasSuffix(
                "error: tools version 6.2.0 is needed\nbtc-price: error: the build failed\n"))
    }

    @Test(arguments: ["--interval x", "-n x", "ETH/USD", "--wrong", "--primary", "--json --screen"])
    func `wrong usage is reported before anything is built`(words: String) {
        addSwift()
        let result = run(words)
        #expect(result.status == 64 && result.output == "" && log == "")
        #expect(!result.errors.contains("building"))
    }

    @Test func `without libcurl, nothing is built, and the missing package is reported with status 69`() {
        addSwift()
        // Given an ldconfig that does not list libcurl
        folder.addTool("tools/ldconfig", "echo 'libc.so.6 (libc6,x86-64) => /lib/libc.so.6'")
        // When
        let result = run("--demo -n 1")
        // Then
        #expect(result.status == 69 && result.output == "" && log == "")
        let message = "libcurl is required: install the package libcurl4 (libcurl on Fedora)"
        #expect(result.errors == "btc-price: error: \(message)\n")
        // And if ldconfig fails, the script continues without checking for libcurl
        folder.addTool("tools/ldconfig", "exit 1")
        #expect(run("--demo -n 1").status == 0)
    }

    @Test func `a checkout is built once for the demo, once for prices, and again when its code changes`() {
        addSwift()
        let price = "--primary \(ShellSource.quoting("1.00").shellQuoted)"
        var builds = ""
        for (options, targets, reason) in [
            ("--demo", "demo", " for the demo; this takes about a minute"), ("--demo", "", ""),
            (price, "programs", "; the first optimized build takes several minutes"), (price, "", ""),
            ("--demo", "programs", " because their sources have changed"),
        ] {
            if reason.contains("changed") { folder.write("Sources/price-fetch/main.swift", "") }
            let result = run("\(options) --interval 10ms -n 1")
            builds += targets == "" ? "" : "build \(targets)\n"
            #expect(result.status == 0 && log == builds, "\(result)")
            #expect(result.errors.contains("building the programs\(reason)\n") == (targets != ""))
        }
    }

    private func firstTicks(_ primary: String, _ fallback: String = "cat >/dev/null", count: Int = 3)
        -> RunningProgram.Result
    {
        RunningProgram.run(
            "btc-price", ["-n", "\(count)", "--primary", primary, "--fallback", fallback],
            environment: ["XDG_CACHE_HOME": folder.path])
    }

    @Test func `without a network, the unreachable source is reported once, and no price is shown`() {
        let result = firstTicks("price-fetch --url http://127.0.0.1:\(Loopback.freePort())/ binance")
        #expect(result.lines.dropFirst() == ["-", "-", "-"])
        #expect(result.lines.first?.hasPrefix("No price yet: binance: ") == true)
        let warnings = result.errors.split(separator: "\n").filter { $0.contains("price-fetch") }
        #expect(warnings.count == 1 && warnings[0].hasPrefix("price-fetch: warning: binance: unreachable: "))
    }

    @Test func `without a network, --history prints the reason and then the line No data`() {
        let source = "price-fetch coinbase --base http://127.0.0.1:\(Loopback.freePort())"
        let result = RunningProgram.run(
            "btc-price", ["--history", "--primary", source, "--fallback", ShellSource.failing],
            environment: ["XDG_CACHE_HOME": folder.path])
        #expect(result.status == 69 && result.lines.count == 2 && result.lines.last == "No data", "\(result)")
        #expect(result.lines.first?.hasPrefix("No price yet: coinbase: ") == true)
    }

    @Test func `a silent server and a silent source are each reported once`() {
        let server = StubServer(.silence)
        let result = firstTicks("price-fetch binance --url \(server.url())", "sleep 100")
        let warnings = result.errors.split(separator: "\n").filter { $0.contains("no answer") }
        #expect(
            warnings == [
                "price-fallback: warning: binance: no answer within 800 ms",
                "price-fallback: warning: source 2: no answer within 1000 ms",
            ])
    }

    @Test(arguments: [
        (
            "cryptocompare", 401,
            "set a valid API key: export CRYPTOCOMPARE_API_KEY=...\n"
        ),
        ("binance", 451, "Binance may be blocked in your country; "),
        ("binance", 451, "price-fetch --base https://data-api.binance.vision binance"),
    ])
    func `a remedy is suggested if a source denies access`(source: String, status: Int, remedy: String) {
        let server = StubServer(.status(status))
        let result = firstTicks("price-fetch --url \(server.url()) \(source)", count: 1)
        #expect(result.errors.contains("\(source): status \(status); pausing requests; "))
        #expect(result.errors.contains(remedy))
    }
}
