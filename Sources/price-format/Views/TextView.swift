import PipeCommon

/// Shows each reading as text of its own.
protocol TextView {
    /// Appends the text without its last line end.
    func append(_ reading: Reading, to text: inout ByteBuffer)
}
