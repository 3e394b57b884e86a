import PipeCommon

/// Answers questions with quotes from one source. A feed requests quotes when questions arrive, or receives prices as
/// a stream. `advance` returns the new answers, oldest first.
protocol PriceFeed: AnyObject, Polled where Outcome == [Answer] {
    /// The name of the source.
    var name: String { get }
    /// Whether the prices are made up rather than real.
    var isMadeUp: Bool { get }

    /// Accepts a question, which `advance` answers later unless the question is given up first.
    func ask(_ question: Question)

    /// Drops a question whose time limit has passed.
    ///
    /// - Returns: the reason why no quote was available in time.
    func giveUp(_ question: Question) -> FetchError

    /// Ends the feed's WebSocket connection or child process, if any. `ask` must not be called afterwards.
    func end()
}

extension PriceFeed {
    var isMadeUp: Bool { false }
}

/// A request for one quote from a feed, usually on behalf of a tick.
struct Question {
    /// Identifies the question in its answer.
    let id: Int
    let subject: Subject
    /// The time in the tick; without a tick, or if the tick contains no time, the current time. In a question about a
    /// candle, this must be the time at which the requested candle begins.
    let at: Timestamp
    /// The number of the tick, which all ticks of a beat share; nil if the question does not come from a tick.
    let beat: Int?
    /// How long the answer may take. If there is no answer within this time, the caller calls `giveUp`.
    let timeout: Duration
    /// When the question was created. The time limit is counted from this time.
    let time: Deadline.Instant

    var deadline: Deadline { Deadline(in: timeout, from: time) }
}

struct Answer {
    let id: Int
    let quote: Result<Quote, FetchError>
    /// Whether the quote is the final close of a candle.
    var isClosed = false
}

extension Reading {
    init(answering tick: Tick, _ answer: Answer, of feed: some PriceFeed) {
        switch answer.quote {
        case .success(let quote):
            self.init(answering: tick, quote, from: feed.name)
            (isClosed, isMadeUp) = (answer.isClosed, feed.isMadeUp)
        case .failure(let error): self.init(answering: tick, [error.failure(of: feed.name)])
        }
    }
}

/// An object that the poll loop drives: the loop waits for the object's descriptors and its deadline, and calls
/// `advance` when a descriptor is ready or the deadline has passed. The loop may also call `advance` at other times.
protocol Polled {
    /// The result of `advance`.
    associatedtype Outcome = Void

    /// The descriptors to wait for, with their events for `poll`.
    var watched: [pollfd] { get }
    /// When `advance` must be called even if no descriptor is ready; nil if there is no such time.
    var nextDeadline: Deadline? { get }
    /// Does the work that is due, without waiting for a descriptor.
    ///
    /// - Parameter ready: the descriptors of `watched`, with the events that `poll` has reported; may be empty.
    /// - Returns: the results since the last call.
    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> Outcome
}
