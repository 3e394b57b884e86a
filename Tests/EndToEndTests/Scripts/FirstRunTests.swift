import Foundation
import PipeCommon
import Synchronization
import TestSupport
import TestTraits
import Testing

/// The messages for a new user when something is wrong: one clear line, with the remedy.
@Suite(.endToEnd) struct FirstRunTests {
    private let folder = TemporaryFolder()

    /// A separate checkout with the scripts and nothing built. `swift` is a script that the test puts on the
    /// PATH; without one the PATH has only the tools that the scripts need to notice that.
    private func checkout(swift: String?) throws -> (
        run: (String) -> RunningProgram.Result, log: () -> String
    ) {
        let files = FileManager.default
        for name in ["scripts", "Sources/price-fetch", "tools"] {
            try files.createDirectory(atPath: "\(folder.path)/\(name)", withIntermediateDirectories: true)
        }
        try Programs.copyScripts(
            ["btc-price", "build", "price-clock"], to: URL(filePath: "\(folder.path)/scripts"))
        folder.write("Package.swift", "")
        folder.write("Sources/price-fetch/main.swift", "")
        var path = "\(folder.path)/tools"
        if let swift {
            folder.addTool("tools/swift", swift)
            path += ":/usr/bin:/bin"
        } else {
            let links = "for tool in bash dirname readlink; do ln -s \"$(command -v $tool)\" \(path); done"
            #expect(RunningProgram.shell(links).status == 0)
        }
        return (
            { words in
                RunningProgram.shell(
                    "\(folder.path)/scripts/btc-price \(words)",
                    environment: ["PATH": path, "XDG_CACHE_HOME": folder.path])
            }, { folder.contents("log") ?? "" }
        )
    }

    /// A `swift` that links the programs of the tests instead of building any.
    private var goodSwift: String {
        let built = Programs.folder.path.shellQuoted
        return """
            echo build $BTC_PRICE_PROGRAMS_ONLY >> \(folder.path)/log
            mkdir -p \(folder.path)/.build/release
            for program in price-fetch price-fallback price-cache price-format; do
                ln -sf \(built)/$program \(folder.path)/.build/release/
            done
            """
    }

    @Test(arguments: ["btc-price", "price-clock"])
    func `a bash that is too old is reported with its version and the required one`(script: String) throws {
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

    @Test func `without Swift a checkout reports the required version and where to get it`() throws {
        let result = try checkout(swift: nil).run("--demo -n 1")
        #expect(result.status == 69 && result.output == "")
        #expect(
            result.errors
                == "btc-price: error: Swift 6.3 is required to build the programs: see https://www.swift.org/install\n"
        )
    }

    @Test func `a failed build shows the compiler's message, and the status is 70`() throws {
        let run = try checkout(swift: "echo 'error: tools version 6.2.0 is needed' >&2; exit 1").run
        let result = run("-n 1")
        #expect(result.status == 70 && result.output == "")
        #expect(
            result.errors.hasSuffix(
                "error: tools version 6.2.0 is needed\nbtc-price: error: the build failed\n"))
    }

    @Test(arguments: ["--interval x", "-n x", "ETH/USD", "--wrong", "--primary", "--json --screen"])
    func `wrong usage is reported before anything is built`(words: String) throws {
        let (run, log) = try checkout(swift: goodSwift)
        let result = run(words)
        #expect(result.status == 64 && result.output == "" && log() == "")
        #expect(!result.errors.contains("building"))
    }

    @Test func `without libcurl the script names the package before anything is built, with status 69`()
        throws
    {
        let (run, log) = try checkout(swift: goodSwift)
        // Given a loader that lists only other libraries
        folder.addTool("tools/ldconfig", "echo 'libc.so.6 (libc6,x86-64) => /lib/libc.so.6'")
        // When
        let result = run("--demo -n 1")
        // Then
        #expect(result.status == 69 && result.output == "" && log() == "")
        let message = "libcurl is required: install the package libcurl4 (libcurl on Fedora)"
        #expect(result.errors == "btc-price: error: \(message)\n")
        // And with a loader that cannot list libraries, as on macOS
        folder.addTool("tools/ldconfig", "exit 1")
        #expect(run("--demo -n 1").status == 0)
    }

    @Test func `the programs of a checkout are built once, and again when their sources change`() throws {
        let (run, log) = try checkout(swift: goodSwift)
        for isFirst in [true, false] {
            let result = run("--demo --interval 10ms -n 1")
            #expect(result.status == 0 && log() == "build 1\n", "\(result)")
            let message = "btc-price: building the programs; the first time takes minutes\n"
            #expect(result.errors.contains(message) == isFirst)
        }
        // When
        let later = [FileAttributeKey.modificationDate: Date(timeIntervalSinceNow: 60)]
        try FileManager.default.setAttributes(
            later, ofItemAtPath: "\(folder.path)/Sources/price-fetch/main.swift")
        // Then
        let result = run("--demo --interval 10ms -n 1")
        #expect(result.status == 0 && log() == "build 1\nbuild 1\n", "\(result)")
        #expect(
            result.errors.contains("btc-price: building the programs, since their sources have changed\n"))
    }

    private func firstTicks(_ primary: String, _ environment: [String: String] = [:]) -> RunningProgram.Result
    {
        let words = ["-n", "3", "--primary", primary, "--fallback", "cat >/dev/null"]
        return RunningProgram.run(
            "btc-price", words, environment: ["XDG_CACHE_HOME": folder.path].merging(environment) { $1 })
    }

    @Test func `without a network the unreachable source is reported once, and no price is shown`() {
        let result = firstTicks("price-fetch --url http://127.0.0.1:\(Loopback.freePort())/ binance")
        #expect(result.lines.dropFirst() == ["-", "-", "-"])
        #expect(result.lines.first?.hasPrefix("No price yet: binance: ") == true)
        let warnings = result.errors.split(separator: "\n").filter { $0.contains("price-fetch") }
        #expect(warnings.count == 1 && warnings[0].hasPrefix("price-fetch: warning: binance: unreachable: "))
    }

    @Test func `without a network the history prints one line with the reason`() {
        let source = "price-fetch coinbase --base http://127.0.0.1:\(Loopback.freePort())"
        let result = RunningProgram.run(
            "btc-price", ["--history", "--primary", source, "--fallback", ShellSource.failing],
            environment: ["XDG_CACHE_HOME": folder.path])
        #expect(result.status == 69 && result.lines.count == 2 && result.lines.last == "No data", "\(result)")
        #expect(result.lines.first?.hasPrefix("No price yet: coinbase: ") == true)
    }

    @Test func `a server and a source that stay silent are reported once each`() {
        let server = StubServer(.silence)
        let result = RunningProgram.run(
            "btc-price",
            [
                "-n", "3", "--primary", "price-fetch binance --url \(server.url())", "--fallback",
                "sleep 100",
            ],
            environment: ["XDG_CACHE_HOME": folder.path])
        let warnings = result.errors.split(separator: "\n").filter { $0.contains("no answer") }
        #expect(
            warnings == [
                "price-fallback: warning: binance: no answer within 800 ms",
                "price-fallback: warning: source 2: no answer within 1000 ms",
            ])
    }

    @Test func `without a key CryptoCompare's refusal is reported with the variable to set`() {
        let server = StubServer(.status(401))
        let result = firstTicks("price-fetch --url \(server.url()) cryptocompare")
        #expect(
            result.errors.contains(
                "cryptocompare: status 401; pausing requests; requires a valid API key: export CRYPTOCOMPARE_API_KEY=...\n"
            ))
    }

    @Test func `where Binance is blocked its refusal is reported with the host to use instead`() {
        let server = StubServer(.status(451))
        let result = firstTicks("price-fetch --url \(server.url()) binance")
        #expect(
            result.errors.contains(
                "binance: status 451; pausing requests; Binance may be blocked in your country; "))
        #expect(result.errors.contains("price-fetch --base https://data-api.binance.vision binance"))
    }

    @Test func `a source that comes and goes is reported once`() throws {
        // Given
        let isDown = Mutex(true)
        let server = StubServer { _ in
            isDown.withLock { $0 } ? .reset() : .ok(#"{"symbol":"BTCUSDT","price":"1"}"#)
        }
        let running = RunningProgram("price-fetch", ["--url", server.url(), "binance"])
        // When
        for down in [true, true, false, true, true] {
            isDown.withLock { $0 = down }
            running.write("{}\n")
            #expect(running.readLine()?.contains("failures") == down)
        }
        // Then
        let result = running.finish()
        #expect(result.errors.components(separatedBy: "unreachable").count - 1 == 1)
    }
}
