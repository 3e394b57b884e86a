import Foundation

/// Runs the tests of the copied project. For each mutant, the unit tests that concern its module come first.
final class Trials {
    private struct Stage {
        /// A regular expression for the names of tests.
        let filter: String
        var limit: TimeInterval
        /// Tests to skip: they fail even without a mutant, or they fail only because of the machine's load.
        var red: [String] = []
    }

    /// The first sign that a test run notices the active mutant.
    private enum Finding: Equatable {
        case nothing
        case failure(test: String)
        /// The run ended with a trap or at the time limit.
        case end(String)
    }

    private static let all = ["PipeCommon", "Fetch", "Fallback", "Cache", "Format", "Program", "EndToEnd"]

    private let schemata: Schemata
    private let work: URL
    private var stages: [String: Stage] = [:]

    /// Runs all tests without a mutant, to measure how long they take and to find the tests that fail.
    init(of schemata: Schemata, in work: URL) throws {
        (self.schemata, self.work) = (schemata, work)
        try schemata.choose(0)
        for name in Self.all {
            var stage = Stage(filter: "^\(name)Tests", limit: 1800)
            let start = Date()
            _ = run(stage) { line in
                if let test = Self.failed(line), !stage.red.contains(test) { stage.red.append(test) }
                return false
            }
            let time = Date().timeIntervalSince(start)
            stage.limit = 30 + 3 * time
            stages[name] = stage
            print("\(name)Tests without a mutant: \(Int(time)) s; failed tests: \(stage.red)")
        }
    }

    /// Returns what kills the active mutant (a test, a trap or the time limit); nil if the mutant survives.
    func killer(of module: String) -> String? {
        let own = [module.dropFirst("price-".count).capitalized, "Program", "EndToEnd"]
        let names = module == "PipeCommon" ? Self.all : own
        return names.lazy.compactMap { self.stages[$0].flatMap(self.killer) }.first
    }

    /// A failed test counts only if it fails again when run alone. Otherwise, it may have failed because of the
    /// machine's load.
    private func killer(in stage: Stage) -> String? {
        var stage = stage
        for _ in 0..<4 {
            switch firstFinding(stage) {
            case .nothing: return nil
            case .end(let reason): return reason
            case .failure(let test):
                let alone = Stage(filter: Self.pattern(test), limit: stage.limit)
                if firstFinding(alone) != .nothing { return test }
                stage.red.append(test)
            }
        }
        return nil
    }

    private func firstFinding(_ stage: Stage) -> Finding {
        var first = Finding.nothing
        let ending = run(stage) { line in
            // A line may seem to report a failure of a skipped test, because another test may print text of this form.
            if let test = Self.failed(line), !stage.red.contains(test) { first = .failure(test: test) }
            return first != .nothing
        }
        switch ending {
        case .stopped: return first
        case .tooLong: return .end("the time limit, \(Int(stage.limit)) s")
        case .status(0): return .nothing
        case .status: return .end("a trap")
        }
    }

    private func run(_ stage: Stage, isLast: (String) -> Bool) -> Run.Ending {
        let program = schemata.folder.appending(path: ".build/debug/btc-pricePackageTests.xctest")
        let tests = [program.path, "--testing-library", "swift-testing"]
        let skipped = stage.red.flatMap { ["--skip", Self.pattern($0)] }
        return Run(in: work, limit: stage.limit)(
            tests + ["--filter", stage.filter] + skipped, isLast: isLast)
    }

    private static func pattern(_ test: String) -> String { NSRegularExpression.escapedPattern(for: test) }

    /// The name of the test whose failure the line reports; nil if the line does not report a failure.
    private static func failed(_ line: String) -> String? {
        line.firstMatch(of: /✘.* Test (?:case passing .* to )?["`]?(.+?)["`]?(?:\(.*\))? recorded an issue/)
            .map { String($0.output.1) }
    }
}
