import PipeCommon
import TestSupport

@testable import price_fallback

/// The policy on a clock of its own: times are milliseconds from the start, and nothing waits.
struct Simulation {
    private var machine: FallbackPolicy
    private let start = Deadline.Instant.now

    init(_ sources: Int = 2, timeout: Int = 800, budget: Int = 1000, hedge: Int? = nil, trip: Int = 3) {
        let names = ["primary", "fallback", "second fallback", "third fallback"].prefix(sources)
        let patience = TimeLimits(
            timeout: .milliseconds(timeout), budget: .milliseconds(budget),
            hedge: .milliseconds(hedge ?? timeout))
        machine = FallbackPolicy(commands: Array(names), patience: patience, trip: trip)
    }

    mutating func handle(_ event: FallbackPolicy.Event, at time: Int) -> [FallbackPolicy.Action] {
        machine.handle(event, at: start + .milliseconds(time))
    }

    /// Lets time pass to the next deadline up to a limit, as the event loop does.
    mutating func passToDeadline(until limit: Int) -> [(Int, FallbackPolicy.Action)] {
        guard let next = nextDeadline, next <= limit else { return [] }
        return handle(.time, at: next).map { (next, $0) }
    }

    /// Milliseconds from the start.
    var nextDeadline: Int? {
        machine.nextDeadline.map { Int(($0.instant - start) / .milliseconds(1)) }
    }

    var pendingCount: Int { machine.pendingCount }
}

/// The reading of a source that has a quote for a tick.
func quoted(_ source: String, _ tick: Tick, _ price: String = "68901.23") -> Reading {
    Reading(answering: tick, anyQuote(price), from: source)
}

/// The reading of a source that has none.
func failed(_ source: String, _ tick: Tick) -> Reading {
    Reading(answering: tick, [anyFailure(source, .network)])
}

func timedOut(_ source: String, after milliseconds: Int) -> Failure {
    Failure(source: source, kind: .timeout, message: "no answer within \(milliseconds) ms")
}

extension Tick {
    /// The tick as a source gets it.
    func within(_ milliseconds: Int) -> Tick {
        Tick(number: number, at: at, symbol: symbol, timeout: .milliseconds(milliseconds))
    }
}
