import Foundation
import PipeCommon
import Synchronization

/// Answers each tick from a stream: a command that writes a JSON message a line. A tick that comes before the first
/// price, or after the last one has become too old, waits for one until its time is up.
final class FollowStream: Feed {
    private struct State {
        var price: StreamedPrice
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
        var waitings = 0
    }

    private let name: String
    private let timeout: Duration
    private let state: Mutex<State>
    private let command: StreamCommand
    private let timers = DispatchQueue(label: "stream-deadlines")

    init(
        _ command: String, name: String, price: StreamedPrice, timeout: Duration, _ diagnostics: Diagnostics
    ) {
        self.name = name
        self.timeout = timeout
        state = Mutex(State(price: price))
        self.command = StreamCommand(command, diagnostics)
        self.command.start { [weak self] in self?.hear($0) }
    }

    var isWorn: Bool { false }

    func end() {
        command.end()
    }

    func reading(for tick: Tick, readAt start: Deadline.Instant) async -> Reading {
        let timeout = min(timeout, tick.timeout ?? timeout)
        let currency = (try? Pair(tick.pricedSymbol))?.currency ?? .usDollar
        let deadline = Deadline(in: timeout, from: start)
        repeat {
            let quote = state.withLock { $0.price.quote(in: currency, at: .now) }
            if let quote { return Reading(answering: tick, quote, from: name) }
            await message(by: deadline)
        } while !deadline.hasPassed()
        let reason = command.trouble ?? "no new price in the stream"
        return Reading(answering: tick, [Failure(source: name, kind: .timeout, message: reason)])
    }

    private func hear(_ messages: [[UInt8]]) {
        let waiting = state.withLock { state in
            let isNews = state.price.note(messages, received: .now(), at: .now)
            defer { if isNews { state.waiting = [:] } }
            return isNews ? Array(state.waiting.values) : []
        }
        for tick in waiting { tick.resume() }
    }

    /// Waits for the next price, or for the deadline.
    private func message(by deadline: Deadline) async {
        await withCheckedContinuation { continuation in
            let number = state.withLock { state in
                state.waitings += 1
                state.waiting[state.waitings] = continuation
                return state.waitings
            }
            timers.asyncAfter(deadline: .now() + deadline.remaining().seconds) { [weak self] in
                self?.state.withLock { $0.waiting.removeValue(forKey: number) }?.resume()
            }
        }
    }
}
