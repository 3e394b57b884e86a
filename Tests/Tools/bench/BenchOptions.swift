import PipeCommon

struct BenchOptions: CommandOptions {
    /// The parts of the report; each writes one or more rows.
    private static let all: KeyValuePairs<String, @Sendable (Bench) -> Void> = [
        "replay": replay, "request": request, "tick": tick, "latency": latency, "memory": memory,
        "clock": clock, "start": start, "growth": growth, "push": push, "board": board, "answer": answer,
        "history": history, "silence": silence, "symbols": symbols, "ending": ending,
    ]

    static func measure(_ part: String) -> ((Bench) -> Void)? { all.first { $0.key == part }?.value }

    var isQuick = false
    var isSource = false
    /// A folder with the programs of an older build; nil if no comparison is wanted.
    var old: String?
    private(set) var parts: [String] = []

    static let command = Command<BenchOptions>(
        "bench", "measures the costs of the pipeline and of common alternatives on the same machine",
        options: [
            Option("--quick", \.isQuick, "make fewer measurements and finish within a minute"),
            Option(
                "--old", "DIR", \.old, .text("a folder"),
                "compare with the programs of an older build in DIR, in the same run"),
            Option("--answer", \.isSource, "only act as a source that answers each tick immediately"),
        ],
        operands: Operands("[PART]...", \.parts),
        notes: """
            Parts: \(all.prefix(9).map(\.key).joined(separator: ", ")),
            \(all.dropFirst(9).map(\.key).joined(separator: ", ")).
            The default is all parts. Each number is the median of its runs, followed by
            the lowest and the highest result if there is more than one run. The exit
            status is 70 if a goal is missed.
            """)

    mutating func validate() throws(UsageError) {
        if parts.isEmpty { parts = Self.all.map(\.key) }
        for part in parts where Self.measure(part) == nil { throw UsageError("unknown part '\(part)'") }
    }
}
