import PipeCommon
import TestSupport

@testable import price_fallback

/// The policy on a simulated clock: times are milliseconds since the start, and nothing waits.
struct Simulation {
    private var policy: FallbackPolicy
    private let start = Deadline.Instant.now

    init(
        _ sources: Int = 2, primary: String = "primary", timeout: Int = 800, budget: Int = 1000,
        hedge: Int? = nil, trip: Int = 3, agree: Tolerance? = nil
    ) {
        let names = [primary, "fallback", "second fallback", "third fallback"].prefix(sources)
        let limits = TimeLimits(
            timeout: .milliseconds(timeout), budget: .milliseconds(budget),
            hedge: .milliseconds(hedge ?? timeout))
        policy = FallbackPolicy(names: Array(names), limits: limits, trip: trip, agree: agree)
    }

    mutating func handle(_ event: FallbackPolicy.Event, at time: Int) -> [FallbackPolicy.Action] {
        handle([event], at: time)
    }

    mutating func handle(_ events: [FallbackPolicy.Event], at time: Int) -> [FallbackPolicy.Action] {
        policy.handle(events, at: start + .milliseconds(time))
    }

    /// Lets time pass in which nothing happens.
    mutating func advance(to time: Int) -> [FallbackPolicy.Action] {
        handle([], at: time)
    }

    /// Lets time pass in which everything is suspended.
    mutating func suspend(for gap: Duration, until time: Int) -> [FallbackPolicy.Action] {
        policy.postponeDeadlines(by: gap)
        return advance(to: time)
    }

    /// Lets time pass to the next deadline, but not past a limit, as `FallbackLoop` does.
    mutating func passToDeadline(until limit: Int) -> [(Int, FallbackPolicy.Action)] {
        guard let next = nextDeadline, next <= limit else { return [] }
        return advance(to: next).map { (next, $0) }
    }

    /// Milliseconds since the start.
    var nextDeadline: Int? {
        mutating get { policy.nextDeadline.map { ($0.instant - start).milliseconds } }
    }

    var pendingCount: Int { policy.pendingCount }
}

/// The reading of a source that has a quote for the tick.
func quoted(_ source: String, _ tick: Tick, _ price: String = "68901.23") -> Reading {
    Reading(answering: tick, anyQuote(price), from: source)
}

/// The reading of a source that has failed.
func failed(_ source: String, _ tick: Tick) -> Reading {
    Reading(answering: tick, [anyFailure(source, .network)])
}

func timedOut(_ source: String, after milliseconds: Int) -> Failure {
    Failure(source: source, kind: .timeout, message: "no answer within \(milliseconds) ms")
}

extension Tick {
    /// The tick as a source gets it.
    func within(_ milliseconds: Int) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: .milliseconds(milliseconds))
    }
}
