/// Base64 (RFC 4648, section 4) of a few bytes.
func base64(_ bytes: [UInt8]) -> String {
    let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")
    return stride(from: 0, to: bytes.count, by: 3).map { start in
        let group = bytes[start..<min(start + 3, bytes.count)]
        let bits = group.reduce(0) { $0 << 8 | Int($1) } << (8 * (3 - group.count))
        let text = [18, 12, 6, 0].map { digits[bits >> $0 & 63] }.prefix(group.count + 1)
        return String(text) + String(repeating: "=", count: 3 - group.count)
    }.joined()
}
