import Foundation
import TestSupport
import TestTraits
import Testing

/// The manual's recipe for a source on another machine, tested with a real `sshd` on loopback.
@Suite(.endToEnd) struct RemoteSourceTests {
    private static let sshd = "/usr/sbin/sshd"

    /// Whether the tests can start `sshd` and log in. A user without a login shell cannot log in. If `sshd`
    /// runs as root, it needs the folder `/run/sshd`; the tests then mount a temporary `/run` to create it.
    private static let isPossible: Bool = {
        let tools = Programs.has("ssh") && Programs.has("ssh-keygen")
        guard isLinux, tools, FileManager.default.isExecutableFile(atPath: sshd) else { return false }
        let shell = RunningProgram.shell("getent passwd $(id -u)").output.split(separator: ":").last ?? ""
        return shell.hasSuffix("sh\n") && (geteuid() != 0 || Programs.canMount)
    }()

    private let folder = TemporaryFolder()

    /// Starts a server with new keys and configures a client that knows the server as `tokyo`.
    private func startServer() -> RunningProgram {
        let port = Loopback.freePort()
        folder.write(
            "sshd.conf",
            """
            Port \(port)
            ListenAddress 127.0.0.1
            HostKey \(folder.path)/host
            AuthorizedKeysFile \(folder.path)/user.pub
            StrictModes no
            UsePAM no
            PidFile none
            # With SHLVL, bash is not a top-level shell and does not read the user's ~/.bashrc.
            SetEnv "PATH=\(Programs.folder.path):/usr/bin:/bin" SHLVL=1

            """)
        folder.write(
            "ssh.conf",
            """
            Host tokyo
                HostName 127.0.0.1
                Port \(port)
                IdentityFile \(folder.path)/user
                UserKnownHostsFile \(folder.path)/known
                StrictHostKeyChecking accept-new
                BatchMode yes

            """)
        let folderInRun = "mount -t tmpfs none /run && mkdir /run/sshd"
        let command = """
            for key in host user; do ssh-keygen -q -t ed25519 -N '' -f "$0/$key"; done
            \(geteuid() == 0 ? folderInRun : "")
            exec \(Self.sshd) -D -e -f "$0/sshd.conf"
            """
        let words = (geteuid() == 0 ? ["unshare", "-m"] : ["env"]) + ["sh", "-c", command, folder.path]
        let server = RunningProgram(words[0], Array(words.dropFirst()))
        server.waitUntil { Loopback.isListening(port) }
        return server
    }

    @Test(.enabled(if: isPossible, "needs ssh, sshd, a login shell, and unshare if run as root"))
    func `a source on another machine answers ticks through ssh`() throws {
        let server = StubServer(.quote)
        let ssh = startServer()
        let recipe = Document.recipes.blocks(in: "sh").joined().first { $0.contains("ssh tokyo price-fetch") }
        let pipeline = try #require(recipe).replacing("price-clock | ", with: "")
            .replacing(" | price-cache | price-format", with: "")
            .replacing(
                "ssh tokyo price-fetch",
                with: "ssh -F \(folder.path)/ssh.conf tokyo price-fetch --url \(server.url())"
            )
            .replacing("'price-fetch coinbase'", with: FetchUnderTest.rescue.shellQuoted)
            // On a busy machine, a login can take several seconds.
            .replacing("price-fallback", with: "price-fallback --timeout 20s --budget 21s")
        let running = RunningProgram("bash", ["-c", "exec \(pipeline)"])
        #expect(try running.isAnswered(by: "binance", after: 0), "\(running.errors) \(ssh.errors)")
        #expect(running.finish().status == 0)
        ssh.signal(SIGKILL)
    }

    @Test(.fault(67), .enabled(if: isPossible, "needs ssh, sshd, a login shell, and unshare if run as root"))
    func `a shared ssh connection stays open when a source that uses it ends`() {
        let ssh = startServer()
        let options = ["-F", "\(folder.path)/ssh.conf", "-o", "ControlPath=\(folder.path)/control"]
        let session = RunningProgram("ssh", options + ["-M", "tokyo", "echo ready; cat"])
        #expect(session.waitUntil { session.readLine() == "ready" }, "\(ssh.errors)")
        // Given a remote command that outlives its input
        let source = "ssh \(options.joined(separator: " ")) tokyo 'cat >/dev/null; sleep 5'"
        var random = SeededRandom(Seed.value)
        for round in 0..<4 {
            // When
            let running = RunningProgram("price-fallback", [source])
            running.write(#"{"tick":0,"at":"2026-11-21T14:03:07.412Z"}"# + "\n")
            usleep(.random(in: 0...150_000, using: &random))
            let signal = round.isMultiple(of: 2) ? SIGTERM : nil
            if let signal { running.signal(signal) } else { running.closeInput() }
            #expect(running.result().status == (signal.map { 128 + $0 } ?? 0), "seed \(Seed.value)")
            // Then
            session.write("still here \(round)\n")
            #expect(session.readLine() == "still here \(round)", "seed \(Seed.value)")
        }
        #expect(session.finish().status == 0)
        ssh.signal(SIGKILL)
    }
}
