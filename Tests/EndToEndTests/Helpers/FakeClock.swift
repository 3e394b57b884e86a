import Foundation
import TestSupport

/// A wall clock of its own for a program, by libfaketime. The monotonic clock stays the real one.
struct FakeClock {
    private let folder = TemporaryFolder()

    init() { set("+0") }

    static let isInstalled = library != nil

    /// - Parameter offset: from the real time: `+1h`, or seconds.
    func set(_ offset: String) {
        folder.write("time", offset + "\n")
    }

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
}
