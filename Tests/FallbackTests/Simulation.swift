import PipeCommon
import TestSupport
import Testing

@testable import price_fallback

/// The policy with a simulated clock, which tests advance without waiting. Times are milliseconds since the start. The
/// initial names of the sources are `0` (the primary), `1` and so on.
struct Simulation {
    private(set) var policy: FallbackPolicy
    private let start = Deadline.Instant.now

    /// - Parameter tick: a tick that arrives at time 0; nil if no tick arrives then.
    init(
        _ sources: Int = 2, timeout: Int = 800, budget: Int = 1000, hedge: Int? = nil, trip: Int = 3,
        agree: Tolerance? = nil, usesMedian: Bool = false, asking tick: Tick? = nil
    ) {
        let limits = TimeLimits(
            timeout: .milliseconds(timeout), budget: .milliseconds(budget),
            hedge: .milliseconds(hedge ?? timeout))
        policy = FallbackPolicy(
            names: (0..<sources).map(String.init), limits: limits, trip: trip, agree: agree,
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

    /// Lets time pass without an event and returns the policy's actions.
    mutating func advance(to time: Int) -> [FallbackPolicy.Action] { handle([], at: time) }

    /// Postpones the deadlines as if the process had been suspended for the given time.
    mutating func suspend(for gap: Duration) { policy.postponeDeadlines(by: gap) }

    /// Handles the events, lets each source answer 50 ms after it is queried, and advances the clock to each deadline
    /// within one second of `start`.
    ///
    /// - Parameter answer: the answer of a source to a tick; nil if the source is silent.
    /// - Returns: the queries and the readings.
    mutating func exchange(
        _ events: [FallbackPolicy.Event], at start: Int, answer: (Int, Tick) -> FallbackPolicy.Event?
    ) -> (asked: [(time: Int, source: Int, tick: Tick)], readings: [Reading]) {
        var asked: [(time: Int, source: Int, tick: Tick)] = []
        var readings: [Reading] = []
        var due = handle(events, at: start).map { (start, $0) }
        while !due.isEmpty {
            let (time, action) = due.removeFirst()
            switch action {
            case .answer(let reading): readings.append(reading)
            case .restart: break
            case .ask(let source, let tick):
                asked.append((time, source, tick))
                let event = answer(source, tick)
                if let event { due += handle(event, at: time + 50).map { (time + 50, $0) } }
            }
            if due.isEmpty, let next = nextDeadline, next <= start + 1000 {
                due = advance(to: next).map { (next, $0) }
            }
        }
        return (asked, readings)
    }

    /// Plays a second with a single tick and a state for each source (see `answer`). Expects that exactly the sources
    /// whose state is not `-` are queried.
    ///
    /// - Returns: the readings within this second.
    mutating func play(_ second: Int, _ states: [Character]) -> [Reading] {
        let (asked, readings) = exchange([.tick(anyTick(second))], at: second * 1000) { source, tick in
            Self.answer(of: source, states[source], to: tick)
        }
        let expected = Set(states.indices.filter { states[$0] != "-" })
        #expect(Set(asked.map(\.source)) == expected, "second \(second)")
        return readings
    }

    /// Plays one beat per second with a single source. Each character of `answers` shows how the source reacts
    /// to the tick for one of the symbols: `v` means a quote, `x` a failure, `l` a late quote, and `.` no
    /// answer. The ticks for the other symbols are never answered.
    ///
    /// - Returns: one character per beat. In `restarts`, `R` means that the source is restarted. In
    ///   `reports`, `L` means that the source is reported as late, and `H` means that a hint about buffered
    ///   output is reported. `-` means that the source is not restarted, or that nothing is reported.
    mutating func playBeats(_ answers: String, symbols: Int) -> (restarts: String, reports: String) {
        var (restarts, reports) = ("", "")
        for (beat, answer) in answers.enumerated() {
            let start = beat * 1000
            let ticks = (1...symbols).map { anyTick(beat, symbol: "S\($0)-USD") }
            let answered = ticks[symbols / 2]
            var actions = handle(ticks.map { .tick($0) }, at: start)
            if answer == "v" { actions += read(quoted("0", answered), from: 0, at: start + 300) }
            if answer == "x" { actions += read(failed("0", answered), from: 0, at: start + 300) }
            for time in [799, 800] { actions += advance(to: start + time) }
            if answer == "l" { actions += read(quoted("0", answered), from: 0, at: start + 900) }
            actions += advance(to: start + 1000)
            restarts += actions.contains(.restart(0, message: "no answer in 5 beats in a row")) ? "R" : "-"
            let notices = takeNotices().map(\.text)
            reports += notices.contains("no answer within 800 ms") ? "L" : ""
            reports +=
                notices.contains { $0.hasPrefix("it has never answered; if it buffers its") } ? "H" : ""
            reports += notices.isEmpty ? "-" : ""
        }
        return (restarts, reports)
    }

    /// The answer of a source. `v` means a quote; `a`, `b` and `c` mean quotes of 100, 200 and 300. `x` means a
    /// network failure, `d` denied access for two minutes, `l` a rate limit for two minutes, `u` an unsupported
    /// symbol for 2.5 s, and `s` a store without a fresh quote. `e` means that the source ends.
    ///
    /// - Returns: nil for `.` (the source is silent) and for `-` (the source is not queried).
    static func answer(of source: Int, _ state: Character, to tick: Tick) -> FallbackPolicy.Event? {
        let name = "\(source)"
        func failed(_ kind: Failure.Kind, _ message: String, for retry: Int? = nil) -> FallbackPolicy.Event {
            let failure = Failure(
                source: name, kind: kind, message: message, retry: retry.map { .milliseconds($0) })
            return .reading(Reading(answering: tick, [failure]), from: source)
        }
        return switch state {
        case "v": .reading(quoted(name, tick), from: source)
        case "a": .reading(quoted(name, tick, "100"), from: source)
        case "b": .reading(quoted(name, tick, "200"), from: source)
        case "c": .reading(quoted(name, tick, "300"), from: source)
        case "x": failed(.network, anyFailure().message)
        case "d": failed(.denied, "status 401", for: 120_000)
        case "l": failed(.rateLimited, "status 429", for: 120_000)
        case "u": failed(.unsupported, "unknown pair", for: 2500)
        case "s": failed(.expired, "no quote is stored")
        case "e": .lost(source, message: "gone")
        default: nil
        }
    }

    /// The next deadline, in milliseconds since the start; nil if there is none.
    var nextDeadline: Int? { mutating get { policy.nextDeadline.map { ($0.instant - start).milliseconds } } }

    var pendingCount: Int { policy.pendingCount }
}

/// The reading of a source that answers the tick with a quote.
func quoted(_ source: String, _ tick: Tick, _ price: String = "68901.23") -> Reading {
    Reading(answering: tick, anyQuote(price), from: source)
}

/// The opinions in a text such as `a100 b101€ C102`: the letter is the source's name, in uppercase if the quote is
/// stored, and the number is the price in dollars or euros.
func opinions(_ quotes: String) -> [Opinion] {
    quotes.split(separator: " ").map { quote in
        let price = Price(String(quote.filter { $0.isNumber }))!
        let currency = quote.hasSuffix("€") ? Currency("EUR")! : .usDollar
        var reading = Reading(
            answering: anyTick(), Quote(price: price, currency: currency, timestamp: anyTime()),
            from: quote.prefix(1).lowercased())
        reading.isStored = quote.first!.isUppercase
        return Opinion(reading)!
    }
}

/// The reading of a source that answers the tick with a network failure.
func failed(_ source: String, _ tick: Tick) -> Reading {
    Reading(answering: tick, [anyFailure(source, .network)])
}

extension Tick {
    /// The tick as it is sent to a source, with the time limit for the answer.
    func within(_ milliseconds: Int) -> Tick {
        Tick(number: number, at: at, symbol: symbol, candle: candle, timeout: .milliseconds(milliseconds))
    }
}
