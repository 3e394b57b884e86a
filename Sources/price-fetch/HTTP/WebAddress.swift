/// An http or https URL with a host, checked by libcurl's own parser, which also reads it for the request.
struct WebAddress: Hashable, Sendable {
    let text: String
    /// Without the brackets of an IPv6 address.
    let host: String
    let isEncrypted: Bool

    init?(_ text: String) {
        guard let (scheme, host) = CurlParser.address(text), ["http", "https"].contains(scheme),
            !host.isEmpty
        else { return nil }
        self.text = text
        self.host = String(host.drop { $0 == "[" }.prefix { $0 != "]" })
        isEncrypted = scheme == "https"
    }

    /// Whether nobody on the way to the server can read a request.
    var isPrivate: Bool { isEncrypted || isLoopback }

    private var isLoopback: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
        return isIPv4 && numbers[0] == "127" || ["localhost", "::1"].contains(host.lowercased())
    }
}

extension WebAddress: ExpressibleByStringLiteral {
    /// For literals in the source code.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
