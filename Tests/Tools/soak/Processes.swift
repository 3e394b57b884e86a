import TestSupport

/// The resources that a process holds: from `/proc`, so on Linux only.
struct ProcessStats {
    /// Resident memory in KiB.
    let memory: Int
    let descriptors: Int
    let threads: Int

    init?(of process: Int32) {
        guard let memory = statusNumber("VmRSS", of: process),
            let threads = statusNumber("Threads", of: process)
        else { return nil }
        (self.memory, self.threads, descriptors) = (memory, threads, openDescriptors(of: process))
    }

    /// Describes the resources that have grown more than in a healthy process, where requests in progress come and
    /// go.
    func growth(to later: ProcessStats) -> String? {
        if later.memory > memory + 4096 { return "memory from \(memory) to \(later.memory) KiB" }
        if later.descriptors > descriptors + 40 {
            return "descriptors from \(descriptors) to \(later.descriptors)"
        }
        if later.threads > threads + 16 { return "threads from \(threads) to \(later.threads)" }
        return nil
    }
}

/// How often each program was started, and what its latest process held at the start and the end of the calm phase.
struct ProcessWatch {
    private(set) var starts: [String: Int] = [:]
    private(set) var first: [String: ProcessStats] = [:]
    private(set) var last: [String: ProcessStats] = [:]
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
