import PipeCommon

/// The ticks on standard input, numbered and dated, as far as they have come.
struct TickInput {
    private var lines = LineReader()
    private var parser: RecordParser<Tick>
    private var numbering = TickNumbering()
    private var atEnd = false
    /// Whether the next tick needs more input.
    private(set) var isDry = true

    init(diagnostics: Diagnostics) {
        parser = RecordParser(diagnostics: diagnostics)
    }

    /// Whether no tick will come any more.
    var hasEnded: Bool { atEnd && isDry }

    /// Whether there is something to wait for.
    var isOpen: Bool { !atEnd }

    var status: ExitStatus { parser.status }

    /// Takes what standard input holds now.
    mutating func read() throws(StreamError) {
        atEnd = try lines.read(from: STDIN_FILENO) == .ended
        isDry = false
    }

    /// The next tick that has come whole.
    mutating func next() -> Tick? {
        while let line = lines.next() ?? (atEnd ? lines.last() : nil) {
            if let tick = parser.record(in: line) { return numbering.complete(tick, at: .now()) }
        }
        isDry = true
        return nil
    }
}
