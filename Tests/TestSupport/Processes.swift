import Foundation
import PipeCommon

/// Processes marked by an environment variable, which their children inherit.
public struct MarkedProcesses: Sendable {
    private let mark = "mark-\(UUID().uuidString)"

    public init() {}

    public var environment: [String: String] { ["BTC_PRICE_TEST": mark] }

    /// The command lines of the marked processes that are still running, by process ID. Needs `/proc`.
    public var living: [Int32: String] {
        let all =
            (try? FileManager.default.contentsOfDirectory(atPath: "/proc"))?.compactMap(Int32.init) ?? []
        let mark = Data(self.mark.utf8)
        let marked = all.filter { bytes($0, "environ").range(of: mark) != nil }
        let commands = marked.map { processFile("cmdline", of: $0).replacing("\0", with: " ") }
        return Dictionary(uniqueKeysWithValues: zip(marked, commands))
    }

    /// The ID of a process whose command line contains a text; nil if no process is found.
    public func id(of text: String) -> Int32? { id { $0.contains(text) } }

    /// The ID of the process whose command line matches; nil if no process is found. If a child's command line also
    /// matches, for example because the child is a subshell or has just been forked, the parent's ID is returned.
    public func id(where matches: (String) -> Bool) -> Int32? {
        let found = living.filter { matches($0.value) }
        return found.keys.first { process in parent(of: process).map { found[$0] == nil } ?? false }
    }

    public func parent(of process: Int32) -> Int32? { statusNumber("PPid", of: process).map { Int32($0) } }

    /// Whether all marked processes end within the limit.
    public func areGone(within limit: Duration) -> Bool {
        wait(within: limit, until: { living.isEmpty }, { usleep(30_000) })
    }

    /// The peak memory of a process, in bytes; 0 if the process has ended.
    public func peakMemory(of process: Int32) -> Int { (statusNumber("VmHWM", of: process) ?? 0) << 10 }
}

/// The longest wait for an expected event in a test that does not check how soon the event happens. It is
/// long because the host may pause one processor of a virtual machine for half a minute.
public let patience = Duration.seconds(60)

/// Repeats a short step until a condition is met or the time limit is reached. At most a quarter of a second of each
/// step counts toward the limit: if a step takes longer, the test itself was paused, usually because the host paused
/// the whole virtual machine.
///
/// - Returns: whether the condition was met in time.
func wait(within limit: Duration, until condition: () -> Bool, _ step: () -> Void) -> Bool {
    var (left, last) = (limit, ContinuousClock.now)
    while !condition() {
        if left <= .zero { return false }
        step()
        let now = ContinuousClock.now
        (left, last) = (left - min(now - last, .milliseconds(250)), now)
    }
    return true
}

/// The text of a file in a process's folder in `/proc`; empty if the process has ended.
public func processFile(_ name: String, of process: Int32) -> String {
    String(decoding: bytes(process, name), as: UTF8.self)
}

private func bytes(_ process: Int32, _ name: String) -> Data {
    FileManager.default.contents(atPath: "/proc/\(process)/\(name)") ?? Data()
}

/// A number from a process's file `status` in `/proc`, such as `Threads`, `PPid`, `VmHWM` (the peak memory in KiB) or
/// `VmRSS` (the current memory in KiB); nil if the process has ended.
public func statusNumber(_ field: String, of process: Int32) -> Int? {
    let line = processFile("status", of: process).split(separator: "\n").first { $0.hasPrefix(field + ":") }
    return line?.split(whereSeparator: { !$0.isNumber }).first.flatMap { Int($0) }
}

/// The number of file descriptors that a process has open, according to `/proc`; 0 if the process has ended.
public func openDescriptors(of process: Int32) -> Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(process)/fd").count) ?? 0
}

/// The processor time, in seconds, of the child processes that have ended and been reaped.
public func processorTimeOfChildren() -> Double {
    var usage = rusage()
    #if canImport(Darwin)
        getrusage(RUSAGE_CHILDREN, &usage)
    #else
        getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage)
    #endif
    let seconds = usage.ru_utime.tv_sec + usage.ru_stime.tv_sec
    return Double(seconds) + Double(usage.ru_utime.tv_usec + usage.ru_stime.tv_usec) / 1e6
}
