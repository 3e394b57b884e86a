import PipeCommon
import TestSupport
import Testing

@testable import price_fallback

/// The policy on a simulated clock: times are milliseconds since the start, and nothing waits.
struct Simulation {
    private(set) var policy: FallbackPolicy
    private let start = Deadline.Instant.now

    /// - Parameter tick: a tick that arrives at 0.
    init(
        _ sources: Int = 2, primary: String = "primary", timeout: Int = 800, budget: Int = 1000,
        hedge: Int? = nil, trip: Int = 3, agree: Tolerance? = nil, usesMedian: Bool = false,
        asking tick: Tick? = nil
    ) {
        let names = [primary, "fallback", "second fallback", "third fallback", "4", "5", "6"].prefix(sources)
        let limits = TimeLimits(
            timeout: .milliseconds(timeout), budget: .milliseconds(budget),
            hedge: .milliseconds(hedge ?? timeout))
        policy = FallbackPolicy(
            names: Array(names), limits: limits, trip: trip, agree: agree,
            usesMedian: usesMedian)
        if let tick { _ = handle(.tick(tick), at: 0) }
    }

    mutating func handle(_ event: FallbackPolicy.Event, at time: Int) -> [FallbackPolicy.Action] {
        handle([event], at: time)
    }

    mutating func read(_ reading: Reading, from source: Int, at time: Int) -> [FallbackPolicy.Action] {
        handle([.reading(reading, from: source)], at: time)
    }

    mutating func handle(_ events: [FallbackPolicy.Event], at time: Int) -> [FallbackPolicy.Action] {
        policy.handle(events, at: start + .milliseconds(time))
    }

    mutating func takeNotices() -> [FallbackPolicy.Notice] { policy.takeNotices() }

    /// Lets time pass without an event.
    mutating func advance(to time: Int) -> [FallbackPolicy.Action] {
        handle([], at: time)
    }

    /// Lets time pass while the program is suspended.
    mutating func suspend(for gap: Duration, until time: Int) -> [FallbackPolicy.Action] {
        policy.postponeDeadlines(by: gap)
        return advance(to: time)
    }

    /// Plays one tick in a second of its own, with a state for each source (see `answer`). Expects that exactly the sources
    /// whose state is not `-` are queried.
    ///
    /// - Returns: the readings within the budget.
    mutating func play(_ second: Int, _ states: [Character]) -> [Reading] {
        let (tick, start) = (anyTick(second), second * 1000)
        var (asked, readings): (Set<Int>, [Reading]) = ([], [])
        var due = handle(.tick(tick), at: start).map { (start, $0) }
        while !due.isEmpty {
            let (time, action) = due.removeFirst()
            switch action {
            case .answer(let reading): readings.append(reading)
            case .restart: break
            case .ask(let source, _):
                asked.insert(source)
                if let event = Self.answer(of: source, states[source], to: tick) {
                    due += handle(event, at: time + 50).map { (time + 50, $0) }
                }
            }
            if due.isEmpty, let next = nextDeadline, next <= start + 1000 {
                due = advance(to: next).map { (next, $0) }
            }
        }
        #expect(asked == Set(states.indices.filter { states[$0] != "-" }), "second \(second)")
        return readings
    }

    /// The event 50 ms after a source was queried: `v` quotes a price, `a`, `b` and `c` quote 100, 200 and 300, `x` fails,
    /// `u` does not price the symbol and asks for a pause of 2.5 s, `e` ends, `.` is silent, `-` is not queried.
    static func answer(of source: Int, _ state: Character, to tick: Tick) -> FallbackPolicy.Event? {
        let name = "\(source)"
        let unsupported = Failure(
            source: name, kind: .unsupported, message: "unknown pair", retry: .milliseconds(2500))
        return switch state {
        case "v": .reading(quoted(name, tick), from: source)
        case "a": .reading(quoted(name, tick, "100"), from: source)
        case "b": .reading(quoted(name, tick, "200"), from: source)
        case "c": .reading(quoted(name, tick, "300"), from: source)
        case "x": .reading(failed(name, tick), from: source)
        case "u": .reading(Reading(answering: tick, [unsupported]), from: source)
        case "e": .lost(source, message: "exited with status 1")
        default: nil
        }
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

func anOpinion(_ quote: Quote, from name: String, isStored: Bool = false) -> Opinion {
    var reading = Reading(answering: anyTick(), quote, from: name)
    reading.isStored = isStored
    return Opinion(reading)!
}

extension Reading {
    /// The same reading after a dispute between these prices, each with its source.
    func disputed(_ prices: KeyValuePairs<String, String>, own isDisputed: Bool = false) -> Reading {
        var reading = self
        reading.prices = prices.map { SourcePrice(source: $0, price: Price($1)!) }
        reading.ownDispute = isDisputed
        return reading
    }
}

/// The reading of a source that failed.
func failed(_ source: String, _ tick: Tick) -> Reading {
    Reading(answering: tick, [anyFailure(source, .network)])
}

func timedOut(_ source: String, after milliseconds: Int) -> Failure {
    Failure(source: source, kind: .timeout, message: "no answer within \(milliseconds) ms")
}

extension Tick {
    /// The tick as it is sent to a source, with the time limit for the answer.
    func within(_ milliseconds: Int) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: .milliseconds(milliseconds))
    }
}
