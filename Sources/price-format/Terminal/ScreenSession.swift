import Foundation
import PipeCommon
import Synchronization

/// The screen while the stream runs: redrawn at each reading, after a change of its size, and when the job goes on;
/// left when it is stopped or ends, however it ends.
final class ScreenSession: Sendable {
    private struct State {
        var view: ScreenView
        var screen = AlternateScreen()

        mutating func draw() throws(StreamError) {
            try screen.draw { [view] in view.lines($0) }
        }
    }

    private let state: Mutex<State>

    init(_ view: sending ScreenView) {
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
                stop()
                try? state.draw()
            default:
                state.screen.leave()
                endBySignal(number)
            }
        }
    }

    /// Stops this process, and returns when the job goes on.
    private func stop() {
        var pending = sigset_t()
        sigpending(&pending)
        // A stop after that would last for ever.
        if sigismember(&pending, SIGCONT) == 0 { kill(getpid(), SIGSTOP) }
        // The stop may reach this thread a little later: nothing may be drawn in between.
        var goesOn = sigset_t()
        sigemptyset(&goesOn)
        sigaddset(&goesOn, SIGCONT)
        var number: Int32 = 0
        sigwait(&goesOn, &number)
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
