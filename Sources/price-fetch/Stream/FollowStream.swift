import Foundation
import PipeCommon
import Synchronization

/// Answers each tick from a stream: a command that writes a JSON message a line. A tick that comes before the first
/// price, or after the last one has become too old, waits for one until its time is up.
final class FollowStream: Feed {
    /// A tick that waits for a price.
    private struct Waiting {
        let tick: Tick
        let deadline: Deadline
        let give: @Sendable (Reading) -> Void
    }

    private struct State {
        var price: StreamedPrice
        var waiting: [Waiting] = []
    }

    private let name: String
    private let timeout: Duration
    private let state: Mutex<State>
    private let command: StreamCommand

    init(
        _ command: String, name: String, price: StreamedPrice, timeout: Duration, _ diagnostics: Diagnostics
    ) {
        self.name = name
        self.timeout = timeout
        state = Mutex(State(price: price))
        self.command = StreamCommand(command, diagnostics)
        self.command.endWithProgram()
        self.command.start { [weak self] in self?.hear($0) }
    }

    var isWorn: Bool { false }

    func end() {
        command.end()
    }

    var nextDeadline: Deadline? {
        state.withLock { $0.waiting.map(\.deadline).min() }
    }

    func answer(
        _ tick: Tick, readAt start: Deadline.Instant, with give: @escaping @Sendable (Reading) -> Void
    ) {
        let deadline = Deadline(in: tick.timeout(atMost: timeout), from: start)
        state.withLock { $0.waiting.append(Waiting(tick: tick, deadline: deadline, give: give)) }
        answerWaiting()
    }

    func giveUp(at now: Deadline.Instant) {
        let overdue = state.withLock { state in
            defer { state.waiting.removeAll { $0.deadline.hasPassed(at: now) } }
            return state.waiting.filter { $0.deadline.hasPassed(at: now) }
        }
        let reason = command.trouble ?? "no new price in the stream"
        for tick in overdue {
            tick.give(Reading(answering: tick.tick, [Failure(source: name, kind: .timeout, message: reason)]))
        }
    }

    private func hear(_ messages: [[UInt8]]) {
        let isNews = state.withLock { $0.price.note(messages, received: .now(), at: .now) }
        if isNews { answerWaiting() }
    }

    /// Answers those that wait, if there is a price that is new enough.
    private func answerWaiting() {
        let answers = state.withLock { state in
            let answers = state.waiting.compactMap { waiting in
                state.price.quote(in: waiting.tick.pricedSymbol.currency, at: .now).map { (waiting, $0) }
            }
            if !answers.isEmpty { state.waiting = [] }
            return answers
        }
        for (waiting, quote) in answers {
            waiting.give(Reading(answering: waiting.tick, quote, from: name))
        }
    }
}
