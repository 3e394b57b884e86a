import Foundation
import TestSupport
import TestTraits
import Testing

/// `btc-price stocks://symbol/NVDA` opens the board of stocks at that symbol.
@Suite(.endToEnd) struct DeepLinkTests {
    @Test(arguments: [
        "stocks://symbol/NVDA", "stocks://symbol/nvda", "STOCKS://Symbol/NVDA/",
        "stocks://symbol/NVDA/chart/1d",
        "stocks://symbol/NVDA?from=mail#top",
    ])
    func `a link opens the board at its symbol, however it is written`(link: String) throws {
        let door = FrontDoor()
        try door.showArgumentsOfFormat()
        // When
        let result = door.run([link, "--demo", "-n1"])
        // Then
        let words = result.lines
        let open = try #require(words.firstIndex(of: "--open"))
        #expect(words[open + 1] == "NVDA" && words.starts(with: ["--style", "board"]))
        #expect(result.status == 0)
    }

    @Test(arguments: [["--json"], []])
    func `without a screen, a link requests only its stock`(words: [String]) {
        let result = FrontDoor().run(["stocks://symbol/ko", "--demo", "-n2"] + words)
        #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.contains("KO") })
        #expect(result.status == 0)
    }

    @Test(
        .enabled(
            if: Programs.has("desktop-file-validate") && Programs.has("xdg-mime"),
            "needs desktop-file-utils and xdg-utils"))
    func `an installation handles desktop links, and its removal leaves nothing`() throws {
        let home = TemporaryFolder()
        let environment = Installation.environment.merging(["HOME": home.path]) { $1 }
        #expect(RunningProgram.run(Installation.script, environment: environment).status == 0)
        // Then
        let file = "\(home.path)/.local/share/applications/btc-price.desktop"
        let validation = RunningProgram.run("desktop-file-validate", [file])
        #expect(validation.status == 0 && validation.output == "")
        let words = ["query", "default", "x-scheme-handler/stocks"]
        let handler = RunningProgram.run("xdg-mime", words, environment: environment)
        #expect(handler.output == "btc-price.desktop\n")
        // When
        #expect(
            RunningProgram.run(Installation.script, ["--uninstall"], environment: environment).status == 0)
        // Then
        #expect(try FileManager.default.contentsOfDirectory(atPath: home.path) == [])
    }

    @Test func `the desktop's index of links keeps other applications, and no entry of ours`() throws {
        let home = TemporaryFolder()
        let applications = "\(home.path)/.local/share/applications"
        try FileManager.default.createDirectory(atPath: applications, withIntermediateDirectories: true)
        let other =
            "[Desktop Entry]\nType=Application\nName=Other\nExec=other\nMimeType=x-scheme-handler/other;\n"
        home.write(".local/share/applications/other.desktop", other)
        let environment = Installation.environment.merging(["HOME": home.path]) { $1 }
        for words in [[], ["--uninstall"]] {
            #expect(RunningProgram.run(Installation.script, words, environment: environment).status == 0)
        }
        #expect(home.contents(".local/share/applications/other.desktop") == other)
        let index = home.contents(".local/share/applications/mimeinfo.cache") ?? ""
        #expect(!index.contains("btc-price"))
    }

    @Test func `the desktop entry quotes the program as the standard requires`() throws {
        let folder = TemporaryFolder()
        let prefix = #"a b$c"d\e%u`f"#
        let words = ["--prefix", "\(folder.path)/\(prefix)"]
        let result = RunningProgram.run(Installation.script, words, environment: Installation.environment)
        #expect(result.status == 0)
        let entry = try #require(folder.contents("\(prefix)/share/applications/btc-price.desktop"))
        let quoted = #"/a b\\$c\\"d\\\\e%%u\\`f/bin/btc-price" %u"#
        #expect(entry.contains("\nExec=\"\(folder.path)\(quoted)\n"))
    }

    @Test func `in a package, which may be unpacked anywhere, the program is looked up on the PATH`() {
        let folder = TemporaryFolder()
        let environment = Installation.environment.merging(["DESTDIR": folder.path]) { $1 }
        let words = ["--prefix", "/usr"]
        #expect(RunningProgram.run(Installation.script, words, environment: environment).status == 0)
        let entry = folder.contents("usr/share/applications/btc-price.desktop")
        #expect(entry?.contains("\nExec=\"btc-price\" %u\n") == true)
    }

    @Test(.enabled(if: Programs.has("tmux"), "needs tmux"))
    func `a link shows the details of its symbol, and one key leads from there to all stocks`() {
        let script = "btc-price stocks://symbol/nvda --demo 2>/dev/null; echo status $?; sleep 60"
        let terminal = TmuxTerminal(100, 40, running: script)
        let details = terminal.text { $0.contains("NVIDIA") && $0.contains("25 of 25") }
        #expect(details.contains("Designs graphics processors") && !details.contains("AAPL"))
        // When
        terminal.type("Escape")
        // Then
        let board = terminal.text { $0.contains("AAPL") }
        #expect(board.contains("AAPL") && board.contains("▸ NVDA"))
        terminal.type("q")
        #expect(terminal.text { $0.contains("status") }.hasSuffix("status 0"))
    }

    @Test func `an unknown symbol is an error with the right command as a hint`() {
        let result = RunningProgram.run("btc-price", ["stocks://symbol/BTC-USD"])
        #expect(
            result.errors == """
                btc-price: error: unknown symbol 'BTC-USD': expected one of the 25 stocks
                btc-price: try 'btc-price --stocks'

                """)
        #expect(result.status == 64 && result.output == "")
    }
}
