import Foundation
import PipeCommon
import TestSupport

/// The report's table. Each row is printed as soon as its values are measured.
extension Bench {
    func writeHead() {
        let machine = """
            echo "$(getconf _NPROCESSORS_ONLN) cores of $(sed -n '/^model name/{s/.*: //p;q}' /proc/cpuinfo)"
            sed -n '/^MemTotal/s/.*: *//p' /proc/meminfo; uname -sr; jq --version; curl --version | head -1
            """
        write(RunningProgram.shell(machine).lines.joined(separator: "; "))
        write("\n| measure | ours | alternative | ratio | goal | met |\n|---|---|---|---|---|---|")
    }

    /// Writes a row for a measurement that is skipped because this machine lacks a tool or `/proc`.
    func skip(_ measure: String, needs tool: String) {
        write("| \(measure) | needs \(tool) | – | – | – | – |")
    }

    /// Measures our program and writes a row. If there is another program to compare with, the two are
    /// measured alternately, so that other work on the machine affects both equally.
    ///
    /// - Parameter unit: the unit of the values, including the space before it.
    func compare(
        _ measure: String, _ unit: String = "", _ details: String = "", runs: Int = 1, goal: Goal? = nil,
        to other: (name: String, measure: () -> Double)? = nil, ours: () -> Double
    ) {
        let pairs = (0..<count(runs, quick: min(runs, 3))).map { _ in (ours(), other?.measure() ?? 0) }
        let (values, others) = (Sample(pairs.map(\.0)), Sample(pairs.map(\.1)))
        let ratio = other.map { _ in Sample(pairs.map { $0 / $1 }) }
        let holds = goal?.holds(for: values, ratio)
        if holds == false { isBroken = true }
        let cells = [
            measure, values.text(unit) + details, other.map { "\($0.name): \(others.text(unit))" },
            ratio?.textOfRatio, goal?.text(unit), holds.map { $0 ? "yes" : "NO" },
        ]
        write("| \(cells.map { $0 ?? "–" }.joined(separator: " | ")) |")
    }

    /// Compares our programs with the programs of the older build; does nothing without `--old`.
    func compareWithOld(
        _ measure: String, _ unit: String = "", runs: Int, goal: Goal, ours: @escaping () -> Double
    ) {
        guard let folder = options.old.map({ URL(filePath: $0).path }) else { return }
        let old = { [self] in
            path = folder.shellQuoted + ":"
            defer { path = "" }
            return ours()
        }
        compare(measure, unit, runs: runs, goal: goal, to: ("the old build", old), ours: ours)
    }

    private func write(_ line: String) { try? LineWriter.standardOutput.write(line.utf8) }
}

/// The goal for the median of our values or, if `isRatio` is true, for the median of their ratios to the other
/// program's values.
struct Goal {
    let sign: String
    let limit: Double
    var isRatio = false

    static func atMost(_ limit: Double) -> Goal { Goal(sign: "≤", limit: limit) }
    static func ratio(_ sign: String, _ limit: Double) -> Goal {
        Goal(sign: sign, limit: limit, isRatio: true)
    }

    func text(_ unit: String) -> String {
        "\(sign) \(isRatio ? Sample([limit]).textOfRatio : number(limit) + unit)"
    }

    /// - Returns: whether the goal is met; nil if the goal is a ratio and there is nothing to compare with.
    func holds(for ours: Sample, _ ratio: Sample?) -> Bool? {
        (isRatio ? ratio : ours).map { sign == "≤" ? $0.median <= limit : $0.median >= limit }
    }
}

/// The values of a repeated measurement.
struct Sample {
    private let sorted: [Double]

    init(_ values: [Double]) { sorted = values.sorted() }

    var median: Double { percentile(50) }

    func percentile(_ percent: Double) -> Double {
        sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))]
    }

    /// The median, followed by the range if there are several values: `12.1 ms (11.9–12.6)`.
    func text(_ unit: String) -> String {
        let range = sorted.count > 1 ? " (\(number(sorted.first!))–\(number(sorted.last!)))" : ""
        return number(median) + unit + range
    }

    /// The ratio as text: `18.6 ×`, or `1/22` if the ratio is below one half.
    var textOfRatio: String { median < 0.5 ? "1/" + Sample(sorted.map { 1 / $0 }).text("") : text(" ×") }
}

func number(_ value: Double) -> String {
    value.formatted(.number.precision(.significantDigits(1...3)).locale(Locale(identifier: "en_US")))
}
