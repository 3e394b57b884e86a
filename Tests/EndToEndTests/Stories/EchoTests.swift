import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The board of 25 stocks, with made-up prices from an echo server or from the demo; also the lists of symbols.
@Suite(.endToEnd) struct EchoTests {
    private let door = FrontDoor()

    private func rows(_ list: String) throws -> [[String]] {
        let file = Programs.project.appending(path: "scripts/front/\(list).tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").map {
            $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
        }
    }

    @Test(.enabled(if: WebSocketServer.isInstalled, "needs websocketd"))
    func `from the second beat on, each stock gets a price that the echo server has sent back`() throws {
        let server = WebSocketServer("tee -a \"$FOLDER/sent\"")
        // When
        let result = door.run(["--stocks", "--json", "-n3", "--interval", "300ms", "--url", server.url])
        // Then
        let readings = try result.readings().filter { $0.tick ?? 0 > 0 }
        #expect(readings.count == 50 && readings.allSatisfy { $0.source == "echo" && $0.error == false })
        #expect(try Set(readings.compactMap { $0.symbol?.text }) == Set(rows("stocks").map { $0[0] }))
        let sent = try #require(server.folder.contents("sent"))
        #expect(readings.allSatisfy { sent.contains("\"price\":\($0.quote?.price.text ?? "none"),") })
        #expect(result.status == 0 && result.errors == "")
    }

    @Test func `the demo of stocks needs no server and leaves no files behind`() throws {
        let scratch = TemporaryFolder()
        let result = door.run(
            ["--stocks", "--demo", "--json", "-n2", "--interval=100ms"],
            environment: ["TMPDIR": scratch.path, "XDG_CACHE_HOME": scratch.path])
        let readings = try result.readings()
        #expect(readings.count == 50 && readings.allSatisfy { $0.quote != nil && $0.source == "demo" })
        #expect(result.errors == "btc-price: demo: made-up prices, no network\n" && result.status == 0)
        let files = FileManager.default
        let removed = Deadline(in: .seconds(5))
        while try files.contentsOfDirectory(atPath: scratch.path) != [], !removed.hasPassed() {
            usleep(10_000)
        }
        #expect(try files.contentsOfDirectory(atPath: scratch.path) == [])
    }

    @Test(arguments: ["--stocks", "--demo"])
    func `if no temporary folder can be created, one error is reported, and the status is 74`(option: String)
    {
        let result = door.run([option, "--json", "-n1"], environment: ["TMPDIR": "/nonexistent"])
        #expect(result.errors == "btc-price: error: cannot create a temporary folder in /nonexistent\n")
        #expect(result.status == 74 && result.output == "")
    }

    @Test func `the option --stocks passes stock names and a pipe for requests to the board`() throws {
        try door.showArgumentsOfFormat()
        let running = door.start(["--stocks", "--demo", "--color", "never"])
        let words = (0..<8).compactMap { _ in running.readLine() }
        let share = "\(door.folder.path)/bin/front/stocks.tsv"
        #expect(words.prefix(6) == ["--style", "board", "--names", share, "--color", "never"])
        #expect(words.dropLast().last == "--requests" && words.last.flatMap { Int32($0) } != nil)
        // When
        running.signal(SIGTERM)
        // Then no process is left
        #expect(running.result().status == 143)
        #expect(running.waitUntil(within: .seconds(5)) { door.commands.isEmpty })
    }

    @Test func `each list of symbols contains a name and a description of every symbol`() throws {
        for (list, count) in [("stocks", 25), ("coins", 16)] {
            let rows = try rows(list)
            #expect(rows.count == count && Set(rows.map { $0[0] }).count == count)
            #expect(rows.allSatisfy { $0.count == 3 && !$0[1].isEmpty && $0[2].hasSuffix(".") })
        }
    }
}
