import PipeCommon

struct FallbackOptions: FilterOptions {
    static let manual = Manual(
        program: "price-fallback",
        sentence: "the best reading that the budget allows, one for each tick",
        synopsis: ["[--timeout 800ms] [--budget 1s] [--hedge DURATION] [--trip N] PRIMARY [FALLBACK...]"],
        options: [
            .init("--timeout", value: "DURATION", help: "what the primary has to answer (default: 800ms)"),
            .init(
                "--budget", value: "DURATION", help: "what all have to answer, from the tick on (default: 1s)"
            ),
            .init(
                "--hedge", value: "DURATION",
                help: "ask the fallbacks after that long (default: as --timeout)"),
            .init(
                "--trip", value: "N",
                help: "only probe a primary that failed N ticks in a row (default: 3, 0: never)"),
        ],
        notes: """
            PRIMARY and each FALLBACK is a shell command that reads ticks and writes readings. It is started
            once and kept; when it ends it is started again. A tick goes to the primary; when that fails, or
            its time is up, to all fallbacks at once. A quote wins once every source before it has failed or
            run out of time. While the primary is only probed, the fallbacks are asked at the tick and no one
            waits for it; its first answer in time makes it the primary again.
            """)

    let patience: TimeLimits
    /// So many failures of the primary in a row, and it is only probed; 0: never.
    let trip: Int
    /// The shell commands, the primary first.
    let commands: [String]

    init(_ arguments: Arguments) throws(UsageError) {
        let timeout = try arguments.duration("--timeout") ?? .milliseconds(800)
        patience = TimeLimits(
            timeout: timeout,
            budget: try arguments.duration("--budget") ?? .seconds(1),
            hedge: try arguments.duration("--hedge", from: .zero) ?? timeout)
        trip = try arguments.value("--trip", "a whole number from 0 to 999999", Self.count) ?? 3
        commands = arguments.operands
        if commands.isEmpty {
            throw UsageError("which PRIMARY? A shell command, such as 'price-fetch binance'")
        }
        if commands.contains(where: \.isEmpty) { throw UsageError("an empty command is no source") }
    }

    private static func count(_ word: String) -> Int? {
        (1...6).contains(word.utf8.count) && word.utf8.allSatisfy(UInt8.isDigit) ? Int(word) : nil
    }
}
