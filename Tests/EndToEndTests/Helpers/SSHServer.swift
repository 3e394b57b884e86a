import Foundation
import TestSupport

/// A real `sshd` on loopback with keys of its own, and a client that is configured for it under the name `tokyo`.
final class SSHServer {
    private static let path = "/usr/sbin/sshd"

    /// A user without a login shell cannot log in, and as root it needs a folder in `/run`.
    static let isPossible: Bool = {
        let tools = Programs.has("ssh") && Programs.has("ssh-keygen")
        guard isLinux, tools, FileManager.default.isExecutableFile(atPath: path) else { return false }
        let shell = RunningProgram.shell("getent passwd $(id -u)").output.split(separator: ":").last ?? ""
        return shell.hasSuffix("sh\n") && (geteuid() != 0 || Programs.canMount)
    }()

    private let folder = TemporaryFolder()
    private let marked = MarkedProcesses()
    private let port = Loopback.freePort()
    private let running: RunningProgram

    init() {
        for key in ["host", "user"] {
            let words = ["-q", "-t", "ed25519", "-N", "", "-f", "\(folder.path)/\(key)"]
            precondition(RunningProgram.run("ssh-keygen", words).status == 0)
        }
        let path = "\(Programs.folder.path):/usr/bin:/bin"
        let mark = marked.environment.map { "\"\($0.key)=\($0.value)\"" }.joined()
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
            PasswordAuthentication no
            SetEnv "PATH=\(path)" \(mark)

            """)
        folder.write(
            "ssh.conf",
            """
            Host tokyo
                HostName 127.0.0.1
                Port \(port)
                IdentityFile \(folder.path)/user
                IdentitiesOnly yes
                UserKnownHostsFile \(folder.path)/known
                StrictHostKeyChecking accept-new
                LogLevel ERROR
                BatchMode yes

            """)
        let start = "exec \(Self.path) -D -e -f \(folder.path)/sshd.conf"
        running =
            geteuid() == 0
            ? RunningProgram(
                "unshare", ["-m", "sh", "-c", "mount -t tmpfs none /run && mkdir /run/sshd && \(start)"])
            : RunningProgram("sh", ["-c", start])
        running.waitUntil(within: .seconds(20)) { Loopback.isListening(port) }
    }

    deinit {
        running.signal(SIGKILL)
        for session in sessions + Array(marked.living.keys) { kill(session, SIGKILL) }
    }

    /// What to write for `ssh` in front of `tokyo`.
    var client: String { "ssh -F \(folder.path)/ssh.conf" }

    /// The server's process of each connection that runs a program: the parent of what runs remotely.
    var sessions: [Int32] {
        marked.living.keys.compactMap { process in
            let status = FileManager.default.contents(atPath: "/proc/\(process)/status") ?? Data()
            let parent = String(decoding: status, as: UTF8.self).firstMatch(of: /\nPPid:\t(\d+)/)
            return parent.flatMap { Int32($0.output.1) }.flatMap { isServer($0) ? $0 : nil }
        }
    }

    private func isServer(_ process: Int32) -> Bool {
        let name = FileManager.default.contents(atPath: "/proc/\(process)/comm") ?? Data()
        return String(decoding: name, as: UTF8.self) == "sshd\n"
    }
}
