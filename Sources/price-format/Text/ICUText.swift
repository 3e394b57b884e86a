import CICU

/// What ICU writes: at most 256 UTF-16 units, or as many as it then asks for.
///
/// - Parameter write: gets a buffer, its size and a place for an error, and returns the size of the text.
/// - Returns: the empty text after an error.
func icuText(
    _ write: (UnsafeMutablePointer<UChar>?, Int32, UnsafeMutablePointer<UErrorCode>) -> Int32
) -> String {
    var size: Int32 = 256
    while true {
        var error: UErrorCode = 0
        var needed: Int32 = 0
        let units = [UChar](unsafeUninitializedCapacity: Int(size)) { buffer, count in
            needed = write(buffer.baseAddress, size, &error)
            count = Int(min(max(0, needed), size))
        }
        if needed <= size { return error > 0 ? "" : String(decoding: units, as: UTF16.self) }
        size = needed
    }
}
