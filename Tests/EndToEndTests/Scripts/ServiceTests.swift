import Foundation
import TestSupport
import TestTraits
import Testing

/// The pipeline as a user service, under a real `systemd`.
@Suite(.endToEnd) struct ServiceTests {
    private static let hasSystemd = Programs.has("systemd-analyze")
    private let unit = Programs.project.appending(path: "scripts/service/btc-price.service").path
    private let folder = TemporaryFolder()

    @Test(.enabled(if: hasSystemd, "needs systemd-analyze"))
    func `systemd accepts the unit and rates its exposure below 3`() {
        for words in [["verify", "--man=no"], ["security", "--offline=true", "--threshold=29"]] {
            let result = RunningProgram.run(
                "systemd-analyze", ["--user"] + words + [unit],
                environment: ["XDG_RUNTIME_DIR": folder.path, "HOME": folder.path])
            #expect(result.status == 0 && !result.errors.contains("btc-price.service"))
        }
    }

    /// A script that runs as process 1 of its own namespaces, with the test's folder as `/home`. It starts
    /// systemd's user manager as an ordinary user, who owns the script's control groups. Then it reads
    /// commands from standard input and runs them as the same user.
    private static let manager = """
        folder=$1 name=$2
        mount -t tmpfs none /run && mkdir -p /run/systemd/system /run/systemd/unit-root || exit
        mount --bind "$folder" /home || exit
        for root in /sys/fs/cgroup /sys/fs/cgroup/systemd /sys/fs/cgroup/unified; do
            if [ -e $root/cgroup.procs ]; then mkdir $root/$name && echo $$ >$root/$name/cgroup.procs || exit; fi
        done
        chown -R nobody /home /sys/fs/cgroup/$name /sys/fs/cgroup/*/$name 2>/dev/null
        install -d -m 700 -o nobody /run/own
        as_user() {
            setpriv --reuid nobody --regid nogroup --clear-groups \
                env -i PATH=/usr/bin:/bin HOME=/home XDG_RUNTIME_DIR=/run/own "$@"
        }
        as_user /lib/systemd/systemd --user >/dev/null 2>&1 &
        n=0
        until as_user systemctl --user is-active -q basic.target 2>/dev/null; do
            sleep 0.1; [ $((n += 1)) -lt 100 ] || exit
        done
        echo ready
        while read -r command; do as_user sh -c "$command" 2>&1; echo .; done
        """

    private static let canRun: Bool = {
        let commands = """
            root=/sys/fs/cgroup; [ -e $root/cgroup.procs ] || root=$root/systemd
            type setpriv pkill pgrep || exit; mkdir $root/own.$$ && rmdir $root/own.$$ && unshare -mpf --mount-proc test -x /lib/systemd/systemd
            """
        return isLinux && geteuid() == 0 && hasSystemd && RunningProgram.shell(commands).status == 0
    }()

    @Test(.enabled(if: canRun, "needs root, systemd, unshare, setpriv, procps and cgroups"))
    func `the service records readings and recovers when one of its processes is killed`() throws {
        // Given an installation in the home folder, and a shorter interval than the default
        let install = RunningProgram.run(
            Installation.script, ["--prefix", "\(folder.path)/.local"], environment: Installation.environment)
        #expect(install.status == 0)
        let settings = "\(folder.path)/.config/systemd/user/btc-price.service.d"
        try FileManager.default.createDirectory(atPath: settings, withIntermediateDirectories: true)
        let faster = "[Service]\nEnvironment=\"OPTIONS=--interval 100ms\"\nRestartSec=100ms\n"
        try faster.write(toFile: "\(settings)/test.conf", atomically: false, encoding: .utf8)
        // And a recording so large that the service begins a new recording
        for state in [".config", ".local/state"] {
            try FileManager.default.createDirectory(
                atPath: "\(folder.path)/\(state)/btc-price", withIntermediateDirectories: true)
            let command = "truncate -s 101M '\(folder.path)/\(state)/btc-price/recording'"
            #expect(RunningProgram.shell(command).status == 0)
        }
        let group = "btc-price-test-\(UUID().uuidString)"
        let manager = ["bash", "-c", Self.manager, "manager", folder.path, group]
        let running = RunningProgram("unshare", ["-mpf", "--kill-child", "--mount-proc"] + manager)
        defer {
            _ = running.finish()
            // The manager leaves empty control groups behind.
            let groups = "find /sys/fs/cgroup -depth -path '*/\(group)*' -type d"
            _ = RunningProgram.shell("\(groups) -exec rmdir {} +")
        }
        #expect(running.readLine() == "ready")
        func run(_ command: String) -> String? {
            running.write(command + "\n")
            var output = ""
            while let line = running.readLine() {
                if line == "." { return output }
                output += line
            }
            return nil
        }
        // systemd 254 moved the state folder of user services from ~/.config to ~/.local/state.
        func lines() -> Int {
            let text = run(
                "cat ~/.config/btc-price/recording ~/.local/state/btc-price/recording 2>&- | wc -l")
            return text.flatMap { Int($0) } ?? 0
        }
        #expect(run("systemctl --user start btc-price") == "")
        #expect(running.waitUntil { lines() >= 3 })
        #expect(run("find ~ -name recording.old -size 101M | wc -l") == "1")
        // When a process is killed, readings are soon recorded again
        for stage in ["price-cache", "price-fallback", "price-fetch", "btc-price"] {
            #expect(run("pkill -9 -u nobody -o -f '[/ ]?\(stage)'") == "")
            let before = lines()
            #expect(running.waitUntil(within: .seconds(60)) { lines() >= before + 3 }, "\(stage)")
        }
        #expect(run("systemctl --user stop btc-price; pgrep -u nobody -l price-") == "")
    }
}
