import Foundation
import PipeCommon
import TestSupport
import Testing

/// The pipeline with sources, a store and a reader that misbehave at random. Measures when the line of each tick comes.
final class BeatSearch {
    /// Where the last quote is stored.
    enum Store: CaseIterable {
        case healthy, slow, hung, full, missing

        var isPossible: Bool {
            switch self {
            case .healthy, .missing: true
            case .slow, .hung: Programs.has("strace")
            case .full: Programs.canMount
            }
        }

        /// Of the pipeline: what could not be stored until the end is lost.
        var status: Int32 {
            switch self {
            case .healthy, .slow, .hung: 0
            case .full, .missing: 74
            }
        }
    }

    static let budget = Duration.milliseconds(400)
    private static let beat = Duration.milliseconds(40)
    /// How much later than its budget a line may come.
    private static let slack = Duration.milliseconds(50)

    private let folder: TemporaryFolder
    private let chain: ReferenceChain
    private var random: SeededRandom
    private let running: RunningProgram
    private var written: [Deadline.Instant] = []
    private var answered = 0
    /// The moment from which on the reader has read all there was.
    private var readingSince = Deadline.Instant.now
    private var text: [UInt8] = []
    let store: Store
    /// What misbehaves.
    let description: String
    private(set) var slowest = Duration.zero
    private(set) var late: [String] = []

    init(seed: UInt64, chain: ReferenceChain) {
        let folder = TemporaryFolder()
        (self.chain, self.folder) = (chain, folder)
        var random = SeededRandom(seed)
        store = Store.allCases.filter(\.isPossible).randomElement(using: &random)!
        let options = ["", "--hedge 100ms", "--hedge 0s", "--trip 0"].randomElement(using: &random)!
        let readsErrors = Bool.random(using: &random)
        description =
            "store: \(store), options: \(options), standard error is \(readsErrors ? "" : "not ")read"
        self.random = random
        let sources = (0..<3).map { Self.source(seed: Int(seed % 10_000) * 3 + $0, in: folder).shellQuoted }
        // A pipe that no process reads, and that is never closed.
        let command = """
            cd \(folder.path.shellQuoted)
            \(readsErrors ? "" : "mkfifo unread; exec 2<>unread")
            price-fallback \(options) --timeout 300ms --budget \(Self.budget.milliseconds)ms \(sources.joined(separator: " ")) |
                \(Self.cache(store)) | price-format
            """
        running = RunningProgram("bash", ["-o", "pipefail", "-c", command])
    }

    var ticks: Int { written.count }

    /// - Returns: the exit status of the pipeline.
    func run(for time: Duration) -> Int32 {
        // The programs need some time to start.
        write()
        running.waitUntil(within: .seconds(20)) {
            read()
            return answered > 0
        }
        (late, slowest) = ([], .zero)
        let end = Deadline(in: time)
        var nextPause = Deadline(in: .milliseconds(Int.random(in: 500...2000, using: &random)))
        while !end.hasPassed() {
            let next = Deadline(in: Self.beat)
            write()
            wait(until: next)
            if nextPause.hasPassed() {
                stopReading(for: .milliseconds(Int.random(in: 50...800, using: &random)))
                nextPause = Deadline(in: .milliseconds(Int.random(in: 500...2000, using: &random)))
            }
        }
        wait(until: Deadline(in: Self.budget))
        running.closeInput()
        running.waitUntil(within: .seconds(20)) {
            read()
            return answered == written.count
        }
        if answered != written.count { late.append("\(written.count - answered) ticks have no line") }
        // What a source has left behind may hold standard error open for a while.
        running.waitUntil(within: .seconds(20)) { running.hasExited }
        return running.result(within: .milliseconds(100)).status
    }

    private func write() {
        let line = Tick(number: written.count, at: .now()).text + "\n"
        written.append(.now)
        running.write(line)
    }

    private func wait(until next: Deadline) {
        while !next.hasPassed() {
            running.waitUntil(within: min(.milliseconds(2), next.remaining())) { false }
            read()
        }
    }

    /// A reader that is stopped, and continues.
    private func stopReading(for time: Duration) {
        let next = Deadline(in: time)
        while !next.hasPassed() {
            usleep(UInt32(Self.beat.milliseconds) * 1000)
            write()
        }
        readingSince = .now
        read()
    }

    /// Counts the lines that have come. A banner is not the line of its tick, but comes before it.
    private func read() {
        text += running.takeOutput()
        while let end = text.firstIndex(of: UInt8(ascii: "\n")) {
            if !text.starts(with: "Failed".utf8) { note(at: .now) }
            text.removeSubrange(...end)
        }
    }

    private func note(at arrival: Deadline.Instant) {
        guard answered < written.count else { return late.append("a line too many") }
        let start = written[answered]
        answered += 1
        let delay = arrival - start
        // What came while the reader was stopped cannot be timed.
        guard start > readingSince else { return }
        slowest = max(slowest, delay)
        let machine = chain.delay(since: start)
        if delay > Self.budget + Self.slack + machine * 2 {
            late.append(
                "tick \(answered - 1) after \(delay.milliseconds) ms, machine \(machine.milliseconds) ms")
        }
    }

    // MARK: Stages

    private static func cache(_ store: Store) -> String {
        let file = "quote.json"
        let strace = "strace -qq -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter"
        switch store {
        case .healthy: return "price-cache --file \(file)"
        case .slow: return "\(strace)=300000 price-cache --file \(file)"
        case .hung: return "\(strace)=4000000 price-cache --file \(file)"
        case .missing: return "price-cache --file missing/quote.json"
        case .full:
            let disk = "disk"
            let commands = """
                mkdir \(disk); mount -t tmpfs -o size=4k none \(disk); head -c 4096 /dev/zero > \(disk)/full
                exec price-cache --file \(disk)/quote.json
                """
            return "unshare -rm sh -c \(commands.shellQuoted)"
        }
    }

    /// A source that does something else than answering at every tenth tick or so.
    private static func source(seed: Int, in folder: TemporaryFolder) -> String {
        let name = "source"
        folder.write(
            "source",
            """
            # A restarted source goes on with another part of its schedule.
            starts=$(($(cat "starts.$1" 2>/dev/null || echo 0) + 1))
            echo $starts >"starts.$1"
            RANDOM=$(($1 + starts * 7919))
            log() { head -c "$1" /dev/zero | tr '\\0' x >&2; }
            answer() { printf '%s,"source":"random","quote":{"value":"68901.23","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}\\n' "${tick%?}"; }
            while read -r tick; do
                case $((RANDOM % 150)) in
                    0) sleep 5 ;;
                    1) exit 3 ;;
                    2) kill -9 $$ ;;
                    3) kill -STOP $$ ;;
                    4) trap '' TERM HUP INT; sleep 3 ;;
                    5) head -c 300000 /dev/zero | tr '\\0' g; echo ;;
                    6) for i in {1..2000}; do echo "{garbage $i"; done ;;
                    7) for i in {1..2000}; do answer; done ;;
                    8) answer | head -c 60; sleep .2 ;;
                    9) log 3000000; answer ;;
                    10) for i in {1..300}; do echo "a line of the log" >&2; done; answer ;;
                    11) exec 1>&-; sleep 2 ;;
                    12) exec 0<&-; answer; sleep 2; exit ;;
                    13) sleep 2 & answer; exit ;;
                    14) sleep .35; answer ;;
                    15) answer; answer ;;
                    16) printf '{"tick":0,"failures":[]}\\n' ;;
                    *) answer ;;
                esac
            done
            """)
        return "exec bash \(name) \(seed)"
    }
}
