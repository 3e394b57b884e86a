import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// A source on another machine, asked through a real `sshd` on loopback: the pipeline of the recipe.
@Suite(.endToEnd, .enabled(if: SSHServer.isPossible, "needs ssh, sshd and a login shell"))
struct RemoteSourceTests {
    private let server = StubServer(.quote)
    private let ssh: SSHServer
    private let running: RunningProgram

    init() throws {
        ssh = SSHServer()
        let recipe = Document.recipes.blocks(in: "sh").joined().first { $0.contains("ssh tokyo price-fetch") }
        let pipeline = try #require(recipe).replacing("price-clock | ", with: "")
            .replacing(" | price-cache | price-format", with: "")
            .replacing("price-fallback", with: "price-fallback --timeout 300ms --budget 400ms")
            .replacing("ssh tokyo price-fetch", with: "\(ssh.client) tokyo price-fetch --url \(server.url())")
            .replacing("'price-fetch coinbase'", with: FetchUnderTest.rescue.shellQuoted)
        running = RunningProgram("bash", ["-c", "exec \(pipeline)"])
        #expect(try running.isAnswered(by: "binance", after: 0))
    }

    /// The sources that answer a number of ticks; every tick has a quote.
    private func sources(of ticks: ClosedRange<Int>) throws -> [String?] {
        try ticks.map { tick in
            let reading = try running.answer(to: tick)
            #expect(reading.quote != nil)
            return reading.source
        }
    }

    @Test func `one that is killed is started again, and every tick has a quote`() throws {
        let session = try #require(ssh.sessions.first)
        kill(session, SIGKILL)
        _ = try sources(of: 100...100)
        #expect(try running.isAnswered(by: "binance", after: 100))
        #expect(!ssh.sessions.contains(session))
    }

    @Test func `one that is frozen is started again, and every tick has a quote`() throws {
        let session = try #require(ssh.sessions.first)
        kill(session, SIGSTOP)
        #expect(try sources(of: 100...104) == Array(repeating: "fallback", count: 5))
        #expect(try running.isAnswered(by: "binance", after: 104))
        #expect(ssh.sessions.contains { $0 != session })
        kill(session, SIGKILL)
    }

    @Test func `a connection that is slow costs its tick alone`() throws {
        let session = try #require(ssh.sessions.first)
        kill(session, SIGSTOP)
        #expect(try sources(of: 100...100) == ["fallback"])
        kill(session, SIGCONT)
        #expect(try running.isAnswered(by: "binance", after: 100))
        #expect(ssh.sessions == [session])
    }
}
