import TestSupport

/// A pipeline with faults that are chosen at random: its source processes misbehave, its store may be slow, hung, full
/// or missing, and its standard error may stay unread.
struct OddProcesses {
    private static let onFullDisk = """
        mkdir disk; mount -t tmpfs -o size=4k none disk; head -c 4096 /dev/zero > disk/full
        exec price-cache --file disk/quote.json
        """
    private static let slowly = "strace -qq -f -o /dev/null -e trace=fsync -e inject=fsync:delay_enter"
    /// The stores to choose from, and whether this machine can provide them. `status` is the exit status of the
    /// pipeline: 74 if a quote is still not stored when the pipeline ends.
    private static let stores: [(name: String, isPossible: Bool, cache: String, status: Int32)] = [
        ("healthy", true, "price-cache --file quote.json", 0),
        ("slow", Programs.has("strace"), "\(slowly)=300000 price-cache --file quote.json", 0),
        ("hung", Programs.has("strace"), "\(slowly)=4000000 price-cache --file quote.json", 0),
        ("full", Programs.canMount, "unshare -rm sh -c \(onFullDisk.shellQuoted)", 74),
        ("missing", true, "price-cache --file missing/quote.json", 74),
    ]

    let stages: Stages
    /// A description of the faults.
    let description: String

    /// - Parameter folder: the folder in which the pipeline runs.
    init(seed: UInt64, in folder: TemporaryFolder) {
        var random = SeededRandom(seed)
        let store = Self.stores.filter(\.isPossible).randomElement(using: &random)!
        let options = ["", "--hedge 100ms", "--hedge 0s", "--trip 0"].randomElement(using: &random)!
        let readsErrors = Bool.random(using: &random)
        description =
            "store: \(store.name), options: \(options), standard error is \(readsErrors ? "" : "not ")read"
        folder.write("source", Self.source)
        var stages = Stages(
            sources: (0..<3).map { "exec bash source \(Int(seed % 10_000) * 3 + $0)" }, programs: [],
            origin: { price in
                guard price.exchange == 9 else { return nil }
                // The clock never prints a tick early, so the tick of this price is no later than now.
                return PriceOrigin(
                    source: "random", symbol: .bitcoin, latest: .now(), tick: price.request)
            })
        stages.options = "--agree off \(options)"
        stages.cache = store.cache
        // A pipe that no process reads from and that is never closed.
        stages.preparation = readsErrors ? "" : "mkfifo unread; exec 2<>unread"
        stages.status = store.status
        self.stages = stages
    }

    /// A source that misbehaves at about one tick in nine. Its prices are traced prices of exchange 9, with the tick's
    /// number as the request number.
    private static let source = """
        # A restarted source continues with different random numbers.
        starts=$(($(cat "starts.$1" 2>/dev/null || echo 0) + 1))
        echo $starts >"starts.$1"
        RANDOM=$(($1 + starts * 7919))
        log() { head -c "$1" /dev/zero | tr '\\0' x >&2; }
        answer() {
            local number=${tick#*'"tick":'}
            number=$((9000000000 + ${number%%[,\\}]*}))
            printf '%s,"source":"random","quote":{"value":"%s","currency":"USD","timestamp":"2026-11-21T14:03:07.412Z"}}\\n' \\
                "${tick%?}" "$number.$((number % 89 + 10))"
        }
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
        """
}
