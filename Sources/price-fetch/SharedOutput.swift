import PipeCommon
import Synchronization

/// Standard output, shared by the ticks under way: a line at a time. What goes wrong is kept for the main loop.
final class SharedOutput: Sendable {
    private struct State: ~Copyable {
        var output: ReadingWriter
        var failure: StreamError?
        var hasQuote = false
    }

    private let state: Mutex<State>

    init(diagnostics: Diagnostics) {
        state = Mutex(State(output: ReadingWriter(diagnostics: diagnostics)))
    }

    func write(_ reading: Reading) {
        state.withLock { state in
            do throws(StreamError) {
                try state.output.add(reading)
                try state.output.flush()
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

    func finish() throws(StreamError) {
        try check()
        try state.withLock { state throws(StreamError) in try state.output.finish() }
    }

    func check() throws(StreamError) {
        if let failure = state.withLock({ $0.failure }) { throw failure }
    }
}
