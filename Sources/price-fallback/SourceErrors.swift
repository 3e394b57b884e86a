import PipeCommon

/// The standard error of all sources: a pipe from which whole lines are passed on to ours. If nobody reads ours, a
/// source that writes to it directly would stop in the middle of its work.
struct SourceErrors {
    private let pipe: Pipe
    private let diagnostics: Diagnostics
    /// A line that is not complete yet.
    private var rest: ArraySlice<UInt8> = []

    init(diagnostics: Diagnostics) throws(SystemError) {
        self.diagnostics = diagnostics
        pipe = try Pipe()
        _ = fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK)
    }

    /// What the sources write to.
    var input: Int32 { pipe.writeEnd }

    /// The descriptor to poll; negative when no process is left that can write to it.
    var output: Int32 { isOpen ? pipe.readEnd : -1 }
    private(set) var isOpen = true

    /// From now on the pipe ends when the last process has ended that holds it.
    func closeInput() {
        pipe.closeWriteEnd()
    }

    /// Passes on what the sources have written by now, without waiting.
    mutating func passOn() {
        guard let bytes = try? readAvailable(pipe.readEnd) else { return }
        isOpen = !bytes.isEmpty
        rest += bytes
        while let end = nextEnd {
            diagnostics.write(lines: rest[..<end])
            rest = rest[end...]
        }
    }

    /// Passes on what is left when the sources have ended.
    mutating func finish() {
        passOn()
        if !rest.isEmpty { diagnostics.write(lines: rest + [UInt8(ascii: "\n")]) }
        rest = []
    }

    /// The end of the lines that are passed on next: as many as can be written in one piece, or a part of a long one.
    private var nextEnd: Int? {
        let piece = rest.prefix(Diagnostics.longestPiece - 1)
        if let lineEnd = piece.lastIndex(of: UInt8(ascii: "\n")) { return lineEnd + 1 }
        return piece.count < rest.count ? piece.endIndex : nil
    }
}
