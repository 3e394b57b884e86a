/// What a source is called in readings and diagnostics until it has named itself: `binance` if its command starts with
/// `price-fetch binance`, `store` if it starts with `price-cache`, otherwise `source 2`, by its position. Never its
/// command, which may contain a secret. Pure.
///
/// - Parameter position: from 1 on.
func initialName(of command: String, at position: Int) -> String {
    let words = command.split(separator: " ", maxSplits: 2)
    if words.first == "price-cache" { return storeName }
    guard words.count > 1, words[0] == "price-fetch", words[1].utf8.allSatisfy(isLowercaseOrDigit) else {
        return "source \(position)"
    }
    return String(words[1])
}

/// The name of the stored quotes as a source.
let storeName = "store"

private func isLowercaseOrDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
        || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
