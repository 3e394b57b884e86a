import TestSupport

/// What one viewer has shown so far, by the numbers of the readings.
final class Viewer {
    private let program: RunningProgram
    private var cut: [UInt8] = []
    private(set) var shown: [Int] = []

    init(_ program: RunningProgram) {
        self.program = program
    }

    /// Whether a reading is shown, now or soon, after what was seen before.
    func sees(_ reading: Int, within limit: Duration = .seconds(60)) -> Bool {
        let seen = shown.count
        return program.waitUntil(within: limit) {
            takeLines()
            return shown[seen...].contains(reading)
        }
    }

    /// A line that shows no number of a reading is taken for number -1.
    private func takeLines() {
        let lines = (cut + program.takeOutput()).split(
            separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        cut = Array(lines.last!)
        let start = "Nov 21, 14:03 - $60,"
        let end = ".00"
        for line in lines.dropLast().map({ String(decoding: $0, as: UTF8.self) }) {
            let isPrice = line.hasPrefix(start) && line.hasSuffix(end)
            shown.append(isPrice ? Int(line.dropFirst(start.count).dropLast(end.count)) ?? -1 : -1)
        }
    }

    /// Without what was shown again.
    var firstShown: [Int] {
        var seen: Set<Int> = []
        return shown.filter { seen.insert($0).inserted }
    }

    func hasSaid(_ text: String) -> Bool { program.errors(containing: text) }
}
