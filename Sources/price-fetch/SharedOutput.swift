import PipeCommon
import Synchronization

/// Standard output, shared by the ticks under way: a line at a time. What goes wrong is kept for the main loop.
final class SharedOutput: Sendable {
    private struct State {
        var failure: StreamError?
        var hasQuote = false
    }

    private let state = Mutex(State())

    func write(_ reading: Reading) {
        state.withLock { state in
            do throws(StreamError) {
                try LineWriter.standardOutput.write(reading.line)
                if reading.quote != nil { state.hasQuote = true }
            } catch {
                state.failure = error
            }
        }
    }

    /// Whether a reading with a quote has gone out.
    var hasQuote: Bool {
        state.withLock { $0.hasQuote }
    }

    func check() throws(StreamError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
