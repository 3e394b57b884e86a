import TestSupport

/// The resources that a process uses, read from Linux's `/proc`.
struct ProcessStats {
    /// How much each resource may grow. Even in a healthy process, the amounts vary as requests begin and end.
    private static let limits = [("KiB of memory", 4096), ("descriptors", 40), ("threads", 16)]

    private let values: [Int]

    init?(of process: Int32) {
        guard let memory = statusNumber("VmRSS", of: process),
            let threads = statusNumber("Threads", of: process)
        else { return nil }
        values = [memory, openDescriptors(of: process), threads]
    }

    /// The resident memory in KiB.
    var memory: Int { values[0] }

    /// Returns a description of the first resource that has grown too much, or nil if there is none.
    func growth(to later: ProcessStats) -> String? {
        let changes = zip(Self.limits, zip(values, later.values))
        return changes.first { $1.1 > $1.0 + $0.1 }.map { "grew from \($1.0) to \($1.1) \($0.0)" }
    }
}

/// How often each program was started, and the resources of its latest process at the start and end of the calm phase.
struct ProcessWatch {
    private(set) var starts: [String: Int] = [:]
    private var (first, last): ([String: ProcessStats], [String: ProcessStats]) = ([:], [:])
    private var processes: [String: Int32] = [:]

    mutating func look(at living: [String: Int32], isCalm: Bool) {
        for (program, process) in living {
            if processes[program] != process {
                starts[program, default: 0] += 1
                processes[program] = process
                first[program] = nil
            }
            guard isCalm, let stats = ProcessStats(of: process) else { continue }
            first[program] = first[program] ?? stats
            last[program] = stats
        }
    }

    /// Descriptions of resources that have grown too much.
    var growths: [String] {
        first.compactMap { program, stats in
            last[program].flatMap { stats.growth(to: $0) }.map { "\(program): \($0)" }
        }
    }
}
