import Foundation
import TestSupport

/// The machine on which the measurements are made.
enum Machine {
    static var description: String {
        let processor = field("/proc/cpuinfo", "model name") ?? "unknown processor"
        let memory = field("/proc/meminfo", "MemTotal") ?? "?"
        let versions = ["uname -sr", "jq --version", "curl --version | head -1 | cut -d' ' -f1-2"]
            .map { RunningProgram.shell($0).lines.first ?? "" }.filter { !$0.isEmpty }
        let cores = ProcessInfo.processInfo.activeProcessorCount
        return "\(cores) cores of \(processor), \(memory); \(versions.joined(separator: "; "))"
    }

    private static func field(_ file: String, _ name: String) -> String? {
        let line = try? String(contentsOfFile: file, encoding: .utf8).split(separator: "\n")
            .first { $0.hasPrefix(name) }
        return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
    }
}
