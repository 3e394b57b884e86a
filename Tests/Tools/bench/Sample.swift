import Foundation

/// The values of a measurement that was repeated.
struct Sample {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    var median: Double { percentile(50) }

    func percentile(_ percent: Double) -> Double {
        sorted[min(sorted.count - 1, Int(Double(sorted.count) * percent / 100))]
    }

    /// The median, and the spread: `12.1 ms (11.9–12.6)`.
    func text(_ unit: String, scale: Double = 1, digits: Int = 1) -> String {
        let numbers = [median, sorted.first!, sorted.last!].map { number($0 * scale, digits) }
        return "\(numbers[0])\(unit) (\(numbers[1])–\(numbers[2]))"
    }
}

func number(_ value: Double, _ digits: Int = 1) -> String {
    value.formatted(.number.precision(.fractionLength(digits)).locale(Locale(identifier: "en_US")))
}
