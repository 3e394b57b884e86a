import Foundation
import TestSupport
import TestTraits
import Testing

/// `btc-price stocks://symbol/NVDA` opens the board of stocks at that symbol. An installed desktop entry makes
/// `btc-price` the program that opens such links.
@Suite(.endToEnd) struct DeepLinkTests {
    @Test(arguments: [
        "stocks://symbol/NVDA", "stocks://symbol/nvda", "STOCKS://Symbol/NVDA/",
        "stocks://symbol/NVDA/chart/1d",
        "stocks://symbol/NVDA?from=mail#top",
    ])
    func `each accepted form of a link opens the board at the linked symbol`(link: String) throws {
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
    func `without the full-screen board, only the linked stock's prices are printed`(words: [String]) {
        let result = FrontDoor().run(["stocks://symbol/ko", "--demo", "-n2"] + words)
        #expect(result.lines.count == 2 && result.lines.allSatisfy { $0.contains("KO") })
        #expect(result.status == 0)
    }

    @Test(
        .enabled(
            if: Programs.has("desktop-file-validate") && Programs.has("xdg-mime"),
            "needs desktop-file-utils and xdg-utils"))
    func `the installed btc-price handles links, and its removal does not affect other applications`() throws
    {
        // Given another application
        let home = TemporaryFolder()
        let applications = ".local/share/applications"
        try FileManager.default.createDirectory(
            atPath: "\(home.path)/\(applications)", withIntermediateDirectories: true)
        let other =
            "[Desktop Entry]\nType=Application\nName=Other\nExec=other\nMimeType=x-scheme-handler/other;\n"
        home.write("\(applications)/other.desktop", other)
        let environment = Installation.environment.merging(["HOME": home.path]) { $1 }
        // When
        #expect(RunningProgram.run(Installation.script, environment: environment).status == 0)
        // Then
        let file = "\(home.path)/\(applications)/btc-price.desktop"
        let validation = RunningProgram.run("desktop-file-validate", [file])
        #expect(validation.status == 0 && validation.output == "")
        let words = ["query", "default", "x-scheme-handler/stocks"]
        let handler = RunningProgram.run("xdg-mime", words, environment: environment)
        #expect(handler.output == "btc-price.desktop\n")
        // When
        #expect(
            RunningProgram.run(Installation.script, ["--uninstall"], environment: environment).status == 0)
        // Then
        let left = try FileManager.default.subpathsOfDirectory(atPath: home.path)
        #expect(
            Set(left.compactMap { $0.split(separator: "/").dropFirst(3).last }) == [
                "mimeinfo.cache", "other.desktop",
            ])
        #expect(home.contents("\(applications)/other.desktop") == other)
        #expect(home.contents("\(applications)/mimeinfo.cache")?.contains("btc-price") == false)
    }

    @Test func `special characters in the program's path are escaped in the desktop entry`() throws {
        let folder = TemporaryFolder()
        let prefix = #"a b$c"d\e%u`f"#
        let words = ["--prefix", "\(folder.path)/\(prefix)"]
        let result = RunningProgram.run(Installation.script, words, environment: Installation.environment)
        #expect(result.status == 0)
        let entry = try #require(folder.contents("\(prefix)/share/applications/btc-price.desktop"))
        let quoted = #"/a b\\$c\\"d\\\\e%%u\\`f/bin/btc-price" %u"#
        #expect(entry.contains("\nExec=\"\(folder.path)\(quoted)\n"))
    }

    @Test func `with DESTDIR, as in package builds, the desktop entry names btc-price without a path`() {
        let folder = TemporaryFolder()
        let environment = Installation.environment.merging(["DESTDIR": folder.path]) { $1 }
        let words = ["--prefix", "/usr"]
        #expect(RunningProgram.run(Installation.script, words, environment: environment).status == 0)
        let entry = folder.contents("usr/share/applications/btc-price.desktop")
        #expect(entry?.contains("\nExec=\"btc-price\" %u\n") == true)
    }

    @Test(.enabled(if: Programs.has("tmux"), "needs tmux"))
    func `a link shows the details of its symbol, and Esc then shows the board of all stocks`() {
        let script = "btc-price stocks://symbol/nvda --demo 2>/dev/null; echo status $?; sleep 60"
        let terminal = TmuxTerminal(100, 40, running: script)
        let details = terminal.text { $0.contains("Designs graphics processors") }
        #expect(details.contains("NVIDIA\nDesigns graphics processors") && !details.contains("AAPL"))
        // When
        terminal.type("Escape")
        // Then
        let board = terminal.text { $0.contains("AAPL") }
        #expect(board.contains("AAPL") && board.contains("▸ NVDA"))
        terminal.type("q")
        #expect(terminal.text { $0.contains("status") }.hasSuffix("status 0"))
    }
}
