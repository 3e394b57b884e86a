import PipeCommon

/// The standard error of all sources: a pipe from which lines are passed on to our own standard error. The sources do
/// not write to our standard error directly, because they could then block when nobody reads it.
struct SourceErrors {
    private let pipe: Pipe
    private let diagnostics: Diagnostics
    /// The bytes that have not been passed on yet.
    private var rest: ArraySlice<UInt8> = []

    init(diagnostics: Diagnostics) throws(SystemError) {
        self.diagnostics = diagnostics
        pipe = try Pipe()
        _ = fcntl(pipe.readEnd, F_SETFL, O_NONBLOCK)
    }

    /// The descriptor that the sources write to.
    var input: Int32 { pipe.writeEnd }

    /// The descriptor to poll; negative after `passOn` has reached the end of the pipe.
    var output: Int32 { isOpen ? pipe.readEnd : -1 }
    private(set) var isOpen = true

    /// Closes our write end, so that the pipe ends when no process can write to it anymore.
    func closeInput() {
        pipe.closeWriteEnd()
    }

    /// Reads the available output of the sources without waiting. Passes on complete lines and the pieces of long
    /// lines. The remaining bytes are kept for the next call.
    mutating func passOn() {
        guard let bytes = try? readAvailable(pipe.readEnd) else { return }
        isOpen = !bytes.isEmpty
        rest += bytes
        while let end = nextEnd {
            diagnostics.write(lines: rest[..<end])
            rest = rest[end...]
        }
    }

    /// Passes on the remaining bytes after the sources have been ended.
    mutating func finish() {
        passOn()
        if !rest.isEmpty { diagnostics.write(lines: rest + [UInt8(ascii: "\n")]) }
    }

    /// The end of the bytes to write next: all complete lines in the next piece or, if the piece contains no line end,
    /// the whole piece. Nil if more bytes are needed.
    private var nextEnd: Int? {
        let piece = rest.prefix(Diagnostics.longestPiece - 1)
        if let lineEnd = piece.lastIndex(of: UInt8(ascii: "\n")) { return lineEnd + 1 }
        return piece.count < rest.count ? piece.endIndex : nil
    }
}
