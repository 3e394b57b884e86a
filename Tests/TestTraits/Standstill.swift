import Foundation
import Synchronization
import Testing

#if os(Linux)
    // This function is in the C library but not in its Swift module.
    @_silgen_name("sched_setaffinity")
    private func setAffinity(_ thread: pid_t, _ size: Int, _ processors: UnsafePointer<UInt>) -> Int32
#endif

/// Notices when the machine or one of its processors stands still for more than half a second, as a virtual machine
/// sometimes does. During a standstill, a test that measures real time can fail although the programs work. The wall
/// clock shows a standstill even if the machine's other clocks stand still as well.
enum Standstill {
    /// When each of the watching threads last ran, and when one of them was last found to be late.
    private static let state = Mutex((runs: [Int: Date](), last: ContinuousClock.Instant?.none))

    /// Starts a thread on each processor, because sometimes only one of the processors stands still.
    private static let watch: Void = {
        for index in 0..<ProcessInfo.processInfo.processorCount { Thread.detachNewThread { watch(index) } }
    }()

    private static func watch(_ processor: Int) {
        #if os(Linux)
            var processors = UInt(1) << processor
            _ = setAffinity(0, MemoryLayout<UInt>.size, &processors)
        #endif
        while true {
            // Each thread checks all threads, so that a standstill of one processor is known before it ends.
            state.withLock { state in
                if state.runs.values.contains(where: { $0.timeIntervalSinceNow < -0.6 }) { state.last = .now }
                state.runs[processor] = .now
            }
            Thread.sleep(forTimeInterval: 0.1)
        }
    }

    /// Runs a test. If it fails after a standstill, runs it once more, and only the result of the second run counts.
    static func repeating(_ body: @Sendable () async throws -> Void) async throws {
        _ = watch
        let start = ContinuousClock.now
        let isVoid = Mutex<Bool?>(nil)
        try await withKnownIssue("the machine stood still, so this test is repeated", isIntermittent: true) {
            try await body()
        } matching: { _ in
            // The first issue decides. The watching thread may wake up later than this thread.
            isVoid.withLock {
                if $0 == nil { Thread.sleep(forTimeInterval: 0.3) }
                $0 = $0 ?? state.withLock { $0.last.map { $0 > start } ?? false }
                return $0!
            }
        }
        if isVoid.withLock({ $0 }) == true { try await body() }
    }
}
