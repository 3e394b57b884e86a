/// The living processes, how often each was started, and what each held at the start and the end of the calm time.
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
            guard isCalm, let vitals = ProcessStats(of: process) else { continue }
            first[program] = first[program] ?? vitals
            last[program] = vitals
        }
    }

    /// What was not flat.
    var growths: [String] {
        first.compactMap { program, vitals in
            last[program].flatMap { vitals.growth(to: $0) }.map { "\(program): \($0)" }
        }
    }
}
