import Dispatch
import TestSupport
import Testing

/// The time limit of each test, or of each case if the test has arguments. A test that takes longer fails. A stuck
/// test would block the run forever, so the run is aborted after five times the limit, with a message that names
/// the test.
///
/// The time limit of the Testing library is unsuitable: it includes the time that a test waits for its turn. Since
/// tests block their threads, a test may wait for most of the run. For the same reason, a test should not be `async`:
/// after each `await`, it might have to wait for a thread again.
public struct TimeLimit: SuiteTrait, TestTrait, TestScoping {
    let limit: Duration
    /// The threads that run the tests; nil for the default threads.
    var threads: EndToEndThreads?

    public var isRecursive: Bool { true }

    public func provideScope(
        for test: Test, testCase: Test.Case?, performing body: @Sendable () async throws -> Void
    ) async throws {
        guard let threads else { return try await time(test, body) }
        try await withTaskExecutorPreference(threads) { try await time(test, body) }
    }

    private func time(_ test: Test, _ body: @Sendable () async throws -> Void) async throws {
        let start = ContinuousClock.now
        let watch = Self.watch(for: limit * 5, "the test \"\(test.displayName ?? test.name)\" is stuck")
        defer { watch.cancel() }
        try await Standstill.repeating(body)
        let time = ContinuousClock.now - start
        if time > limit {
            Issue.record("took \(time), which is more than \(limit)", sourceLocation: test.sourceLocation)
        }
    }

    private static func watch(for time: Duration, _ message: String) -> any DispatchSourceTimer {
        let timer = DispatchSource.makeTimerSource(queue: watchers)
        timer.schedule(deadline: .now() + time / .seconds(1))
        timer.setEventHandler { fatalError(message) }
        timer.resume()
        return timer
    }

    private static let watchers = DispatchQueue(label: "time limits of tests")
}

extension Trait where Self == TimeLimit {
    /// The time limit of each test in a suite that does not start any process.
    public static var unit: Self { TimeLimit(limit: FullSize.isWanted ? .seconds(3600) : .seconds(60)) }

    /// The time limit of each test in a suite that starts programs.
    public static var endToEnd: Self {
        TimeLimit(limit: FullSize.isWanted ? .seconds(7200) : .seconds(180), threads: .shared)
    }

    /// Like `endToEnd`, but for suites with a test that takes ten seconds or more. These suites have threads
    /// of their own, so that they do not end long after all other suites.
    public static var long: Self { TimeLimit(limit: endToEnd.limit, threads: .long) }
}
