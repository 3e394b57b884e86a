import PipeCommon

struct BenchOptions: FilterOptions {
    enum Part: String, CaseIterable {
        case replay, tick, latency, memory, clock, start, growth
    }

    static let manual = Manual(
        program: "bench",
        sentence: "measures what the pipeline costs, beside what others cost on the same machine",
        synopsis: ["[--quick] [PART]..."],
        options: [
            .init("--quick", help: "less of everything, in under a minute"),
            .init("--answer", help: "be a source instead that answers each tick at once"),
        ],
        notes: """
            Parts: \(Part.allCases.map(\.rawValue).joined(separator: ", ")) (default: all). Each number is a median, with
            the lowest and the highest of its runs. Ends with status 70 when a goal is missed.
            """)

    let isQuick: Bool
    let isSource: Bool
    let parts: [Part]

    init(_ arguments: Arguments) throws(UsageError) {
        isQuick = arguments.has("--quick")
        isSource = arguments.has("--answer")
        var parts: [Part] = []
        for word in arguments.operands {
            guard let part = Part(rawValue: word) else { throw UsageError("unknown part \(word)") }
            parts.append(part)
        }
        self.parts = parts.isEmpty ? Part.allCases : parts
    }

    func count(_ full: Int, quick: Int) -> Int { isQuick ? quick : full }
}
