import Foundation
import TestSupport

/// A wall clock, provided by libfaketime, that a test can set for a program. The program's monotonic clock is
/// not changed.
final class FakeClock: Sendable {
    private let folder = TemporaryFolder()

    init() {
        Self.sweep()
        set("+0")
    }

    deinit { Self.sweep() }

    static let isInstalled = library != nil

    /// - Parameter offset: the difference from the real time, such as `+1h` or `-30` (in seconds); or the
    ///   time at which the clock stands still, such as `2027-01-01 00:05:00`.
    func set(_ offset: String) { folder.write("time", offset + "\n") }

    var environment: [String: String] {
        [
            "FAKETIME_TIMESTAMP_FILE": "\(folder.path)/time", "FAKETIME_NO_CACHE": "1",
            "FAKETIME_DONT_FAKE_MONOTONIC": "1", "LD_PRELOAD": Self.library ?? "",
        ]
    }

    private static let library = ["x86_64", "aarch64"].map {
        "/usr/lib/\($0)-linux-gnu/faketime/libfaketime.so.1"
    }
    .first { FileManager.default.fileExists(atPath: $0) }

    /// Deletes the shared memory that processes using libfaketime left behind when they were killed or called
    /// `_exit`. Otherwise, a later process with the same ID would get the real time.
    private static func sweep() {
        let folder = "/dev/shm"
        for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] {
            guard let process = name.firstMatch(of: /^(?:sem\.faketime_sem|faketime_shm)_(\d+)$/)?.output.1,
                let process = pid_t(process), kill(process, 0) == -1, errno == ESRCH
            else { continue }
            unlink("\(folder)/\(name)")
        }
    }
}
