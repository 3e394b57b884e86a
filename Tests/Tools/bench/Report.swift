import PipeCommon

/// Prints the table, each row as soon as it is measured.
final class Report {
    /// Whether a goal was missed.
    private(set) var isBroken = false

    func start(on machine: String) {
        write("\(machine)\n")
        write("| measure | ours | the other | ratio | goal | holds |")
        write("|---|---|---|---|---|---|")
    }

    /// - Parameter holds: nil where there is no goal, or nothing to compare with.
    func row(
        _ measure: String, ours: String, other: String = "–", ratio: String = "–", goal: String = "–",
        holds: Bool?
    ) {
        if holds == false { isBroken = true }
        let verdict = holds.map { $0 ? "yes" : "NO" } ?? "–"
        write("| \(measure) | \(ours) | \(other) | \(ratio) | \(goal) | \(verdict) |")
    }

    private func write(_ line: String) {
        try? LineWriter.standardOutput.write(line.utf8)
    }
}
