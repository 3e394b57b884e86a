import PipeCommon

struct BenchOptions: CommandOptions {
    enum Part: String, CaseIterable {
        case replay, request, tick, latency, memory, clock, start, growth, push, board, answer, history,
            silence, symbols, ending
    }

    var isQuick = false
    var isSource = false
    /// A folder with the programs of an older build.
    var old: String?
    private var words: [String] = []
    private(set) var parts = Part.allCases

    init() {}

    static let command = Command<BenchOptions>(
        "bench", "measures the costs of the pipeline, next to common alternatives on the same machine",
        options: [
            Option("--quick", \.isQuick, "do less of everything, in under a minute"),
            Option(
                "--old", "DIR", \.old, .text("a folder"),
                "compare with the programs of an older build in DIR, in the same run"),
            Option("--answer", \.isSource, "act as a source instead, which answers each tick immediately"),
        ],
        operands: Operands("[PART]...", \.words),
        notes: """
            Parts: \(Part.allCases.prefix(12).map(\.rawValue).joined(separator: ", ")),
            \(Part.allCases.dropFirst(12).map(\.rawValue).joined(separator: ", ")).
            The default is all of them. Each number is a median, with the lowest and the
            highest of its runs. Ends with status 70 if a goal is missed.
            """)

    mutating func validate() throws(UsageError) {
        if words.isEmpty { return }
        parts = []
        for word in words {
            guard let part = Part(rawValue: word) else { throw UsageError("unknown part '\(word)'") }
            parts.append(part)
        }
    }

    func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }
}
