import Foundation

/// The time zone of the test process itself, for tests of code that formats local times in it.
public enum LocalZone {
    /// Makes UTC the local time zone of this process, whatever `TZ` says, once.
    public static func useUTC() { _ = isUTC }

    private static let isUTC: Bool = {
        setenv("TZ", "UTC0", 1)
        // `localtime_r` does not look at `TZ` again by itself.
        tzset()
        return true
    }()
}
