import PipeCommon

/// What a run came to, as a table.
struct Summary {
    let text: String

    init(_ options: SoakOptions, _ invariants: Invariants, _ census: ProcessWatch, pipelines: Int) {
        let counts = invariants.counts
        let rows = [
            (
                "ticks",
                "\(counts.ticks) of \(options.ticks * options.symbols), each \(options.interval.milliseconds) ms"
            ),
            ("quotes", "\(counts.quotes)"), ("rescues", "\(counts.rescues)"),
            ("banners", "\(counts.banners)"),
            ("slowest start", "\(counts.slowestStart.milliseconds) ms"),
            ("slowest line", "\(counts.slowest.milliseconds) ms, budget \(options.budget.milliseconds) ms"),
            ("late lines", "\(counts.late), \(counts.heldUp) by the machine"), ("pipelines", "\(pipelines)"),
        ]
        let heading = Self.row("program", "starts", "KiB start", "end", "descriptors", "threads")
        let programs = Pipeline.programs.map { program in
            let (first, last) = (census.first[program], census.last[program])
            return Self.row(
                program, "\(census.starts[program] ?? 0)", Self.text(first?.memory), Self.text(last?.memory),
                "\(Self.text(first?.descriptors)) \(Self.text(last?.descriptors))",
                "\(Self.text(first?.threads)) \(Self.text(last?.threads))")
        }
        let broken = invariants.broken.map { "broken: \($0)" }
        let verdict =
            invariants.brokenCount == 0
            ? "every invariant held" : "\(invariants.brokenCount) times an invariant was broken"
        text =
            (rows.map { Self.padded($0.0, 22) + $0.1 } + [heading] + programs + broken
            + ["seed \(options.seed): \(verdict)"]).joined(separator: "\n")
    }

    private static func row(_ cells: String...) -> String {
        zip(cells, [22, 8, 11, 8, 13, 0]).map(padded).joined()
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }

    private static func text(_ number: Int?) -> String {
        number.map(String.init) ?? "-"
    }
}
