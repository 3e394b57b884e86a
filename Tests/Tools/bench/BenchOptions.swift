import PipeCommon

struct BenchOptions: FilterOptions {
    enum Part: String, CaseIterable {
        case replay, request, tick, latency, memory, clock, start, growth
    }

    static let manual = Manual(
        program: "bench",
        sentence: "measures what the pipeline costs, beside what others cost on the same machine",
        synopsis: ["[--quick] [--old DIR] [PART]..."],
        options: [
            .init("--quick", help: "less of everything, in under a minute"),
            .init(
                "--old", value: "DIR",
                help: "compare with the programs of an older build in DIR, in the same run"),
            .init("--answer", help: "be a source instead that answers each tick at once"),
        ],
        notes: """
            Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")) (default: all). Each number is a median, with
            the lowest and the highest of its runs. Ends with status 70 when a goal is missed.
            """)

    let isQuick: Bool
    let isSource: Bool
    /// A folder with the programs of an older build.
    let old: String?
    let parts: [Part]

    init(_ arguments: Arguments) throws(UsageError) {
        isQuick = arguments.has("--quick")
        isSource = arguments.has("--answer")
        old = arguments.text("--old")
        var parts: [Part] = []
        for word in arguments.operands {
            guard let part = Part(rawValue: word) else { throw UsageError("unknown part \(word)") }
            parts.append(part)
        }
        self.parts = parts.isEmpty ? Part.allCases : parts
    }

    func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }
}
