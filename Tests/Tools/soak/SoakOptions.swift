import PipeCommon

struct SoakOptions: FilterOptions {
    static let manual = Manual(
        program: "soak",
        sentence:
            "drives the whole pipeline against a server that misbehaves, and checks what must always hold",
        synopsis: ["[--ticks 100000] [--interval 10ms] [--seed NUMBER]"],
        options: [
            .init("--ticks", value: "COUNT", help: "how many ticks (default: 100000)"),
            .init("--interval", value: "DURATION", help: "the time between two ticks (default: 10ms)"),
            .init(
                "--seed", value: "NUMBER",
                help: "what happens when; the same seed, the same faults (default: 1)"),
            .init(
                "--slack", value: "DURATION", help: "how late a line may be beyond its budget (default: 50ms)"
            ),
        ],
        notes: """
            The budget of a tick is ten intervals, at most a second, and the primary has 80 % of it. In the first third
            of the ticks programs are killed; after that none is, and their memory must stay as it is. Ends with status 70
            when an invariant was broken.
            """)

    let ticks: Int
    let interval: Duration
    let seed: UInt64
    let slack: Duration

    var budget: Duration { min(interval * 10, .seconds(1)) }
    var timeout: Duration { budget * 4 / 5 }

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refuseOperands()
        ticks = try arguments.value("--ticks", "a count") { Int($0).flatMap { $0 > 0 ? $0 : nil } } ?? 100_000
        interval = try arguments.duration("--interval") ?? .milliseconds(10)
        seed = try arguments.value("--seed", "a number", UInt64.init) ?? 1
        slack = try arguments.duration("--slack") ?? .milliseconds(50)
    }
}
