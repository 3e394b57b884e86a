import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The restarts of a stream's command, and the reports about them. The processes are real, but the times are
/// simulated.
@Suite(.endToEnd) struct StreamProcessTests {
    private final class Warnings {
        var lines: [String] = []
    }

    private let warnings = Warnings()
    private let start = Deadline.Instant.now + .seconds(1)

    private func makeSUT(_ command: String) -> StreamProcess {
        let silence = StreamSilence(maxAge: .seconds(5))
        let reports = Reports { [warnings] in warnings.lines.append($0) }
        return StreamProcess(command, silence: silence, reports: reports)
    }

    /// Starts a command that exits, and reads its output to the end, as if `time` had passed since the start.
    /// If `price` is true, a price is recorded at the start.
    private func run(_ sut: StreamProcess, at start: Deadline.Instant, price: Bool, for time: Duration) {
        sut.startWhenDue(at: start)
        #expect(sut.output != nil)
        if price { sut.recordPrice(at: start) }
        while sut.output != nil { _ = sut.read(at: start + time) }
    }

    @Test func `a stream that ends again and again is reported once, even if it sends a price in between`() {
        let sut = makeSUT("exit 3")
        for minute in 0..<3 { run(sut, at: start + .seconds(60 * minute), price: minute == 1, for: .zero) }
        #expect(warnings.lines == ["stream 'exit 3': exited with status 3; restarting"])
    }

    @Test func `a stream that never sends a price is restarted again and again but reported only once`() {
        let sut = makeSUT("exec sleep 60")
        for run in 0..<3 {
            let began = start + .seconds(25 * run)
            sut.startWhenDue(at: began)
            #expect(sut.nextDeadline == Deadline(in: .seconds(25), from: began))
            sut.restartIfSilent(at: began + .milliseconds(24_999))
            #expect(sut.output != nil)
            sut.restartIfSilent(at: began + .seconds(25))
            #expect(sut.output == nil && sut.nextDeadline.hasPassed(at: began + .seconds(25)))
        }
        #expect(warnings.lines == ["stream 'exec sleep 60': no price within 25000 ms; restarting"])
    }
}
