import CCurl

/// An http or https URL with a host, checked by libcurl's own parser, which also reads it later.
struct WebAddress: Hashable, Sendable {
    let text: String
    /// Without the brackets of an IPv6 address.
    let host: String
    let isEncrypted: Bool

    init?(_ text: String) {
        guard let url = curl_url() else { return nil }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, text, 0) == 0,
            let scheme = Self.part(CURLUPART_SCHEME, of: url), ["http", "https"].contains(scheme),
            let host = Self.part(CURLUPART_HOST, of: url), !host.isEmpty
        else { return nil }
        self.text = text
        self.host = String(host.drop { $0 == "[" }.prefix { $0 != "]" })
        isEncrypted = scheme == "https"
    }

    private static func part(_ part: Int32, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard curl_url_get(url, part, &text, 0) == 0, let text else { return nil }
        defer { curl_free(text) }
        return String(cString: text)
    }
}

extension WebAddress: ExpressibleByStringLiteral {
    /// For addresses in the program's own text.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
