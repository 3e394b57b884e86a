import PipeCommon

/// Puts a new run of this program in the place of this one, in the same process, between two ticks: URLSession
/// leaks a little with each request, and can hold on to a connection that is dead. No tick is lost.
enum Renewal {
    /// How the old run tells the new one where the stream is.
    private static let variable = "PRICE_FETCH_CONTINUES"
    /// No more of ours are open.
    private static let descriptors: Range<Int32> = 3..<256

    /// Where the stream is after an earlier run in this process; the beginning when there was none.
    static func position() -> TickPosition {
        defer { unsetenv(variable) }
        return getenv(variable).flatMap { TickPosition(String(cString: $0)) } ?? TickPosition()
    }

    /// Returns only when the program can't be started again; then this run goes on.
    static func start(at position: TickPosition) {
        setenv(variable, position.text, 1)
        for descriptor in descriptors { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        // Its own path, so that it keeps its name in the list of processes.
        var path = [CChar](repeating: 0, count: 4096)
        #if canImport(Darwin)
            var size = UInt32(path.count)
            guard _NSGetExecutablePath(&path, &size) == 0 else { return }
        #else
            guard readlink("/proc/self/exe", &path, path.count - 1) > 0 else { return }
        #endif
        execv(path, CommandLine.unsafeArgv)
        // No longer there, since another was installed in its place: the file that runs is still at hand.
        #if !canImport(Darwin)
            execv("/proc/self/exe", CommandLine.unsafeArgv)
        #endif
        unsetenv(variable)
    }
}

/// What a new run has to know of the stream: how many lines were read, which number an unnumbered tick
/// would get, and whether a line was bad.
struct TickPosition: Equatable {
    var lines = 0
    var nextNumber = 0
    var status = ExitStatus.done

    init(lines: Int = 0, nextNumber: Int = 0, status: ExitStatus = .done) {
        (self.lines, self.nextNumber, self.status) = (lines, nextNumber, status)
    }

    init?(_ text: String) {
        let numbers = text.split(separator: " ").compactMap { Int($0) }
        guard numbers.count == 3, let status = ExitStatus(rawValue: Int32(numbers[2])) else { return nil }
        self.init(lines: numbers[0], nextNumber: numbers[1], status: status)
    }

    var text: String { "\(lines) \(nextNumber) \(status.rawValue)" }
}
