import Foundation
import PipeCommon
import Synchronization

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// The screen while the stream runs: redrawn at each reading, after a change of its size, and when the job goes on;
/// left when it is stopped or ends, however it ends.
final class LiveScreen: Sendable {
    private struct State {
        var view: ScreenView
        var screen = TerminalScreen()

        mutating func draw() throws(StreamError) {
            try screen.draw { [view] in view.lines($0) }
        }
    }

    private let state: Mutex<State>

    init(_ view: ScreenView) {
        state = Mutex(State(view: view))
        handleSignals()
    }

    func show(_ reading: Reading) throws(StreamError) {
        try state.withLock { state throws(StreamError) in
            state.view.note(reading)
            try state.draw()
        }
    }

    func leave() {
        state.withLock { $0.screen.leave() }
    }

    /// A thread waits for them, so that each is handled between two frames and never in the middle of one.
    private func handleSignals() {
        var signals = sigset_t()
        sigemptyset(&signals)
        for number in [SIGTSTP, SIGCONT, SIGWINCH, SIGINT, SIGTERM, SIGHUP, SIGQUIT] {
            sigaddset(&signals, number)
        }
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        Thread.detachNewThread { [self, signals] in
            var signals = signals
            while true {
                var number: Int32 = 0
                if sigwait(&signals, &number) == 0 { handle(number) }
            }
        }
    }

    private func handle(_ number: Int32) {
        state.withLock { state in
            switch number {
            case SIGCONT, SIGWINCH: try? state.draw()
            case SIGTSTP:
                state.screen.leave()
                if !isContinued { kill(getpid(), SIGSTOP) }
                try? state.draw()
            default:
                state.screen.leave()
                endBySignal(number)
            }
        }
    }

    /// Whether the job goes on already: a stop would last for ever.
    private var isContinued: Bool {
        var pending = sigset_t()
        sigpending(&pending)
        return sigismember(&pending, SIGCONT) == 1
    }

    private func endBySignal(_ number: Int32) {
        signal(number, SIG_DFL)
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, number)
        kill(getpid(), number)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
    }
}
