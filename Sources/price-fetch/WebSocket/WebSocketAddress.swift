import CCurl

/// A ws or wss URL: where to connect, and what the handshake asks for there.
struct WebSocketAddress: Hashable, Sendable {
    /// The same place as an http or https URL, for the transport.
    let transport: WebAddress
    /// The host, with its port if that was named.
    let authority: String
    /// The path and the query.
    let target: String

    init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }.lowercased()
        guard let plain = ["ws": "http", "wss": "https"][scheme],
            text.dropFirst(scheme.count).hasPrefix("://"),
            let transport = WebAddress(plain + text.dropFirst(scheme.count)), let url = curl_url()
        else { return nil }
        defer { curl_url_cleanup(url) }
        guard curl_url_set(url, CURLUPART_URL, transport.text, 0) == 0,
            let host = WebAddress.part(CURLUPART_HOST, of: url),
            let path = WebAddress.part(CURLUPART_PATH, of: url)
        else { return nil }
        self.transport = transport
        authority = [host, WebAddress.part(CURLUPART_PORT, of: url)].compactMap(\.self).joined(separator: ":")
        target = [path, WebAddress.part(CURLUPART_QUERY, of: url)].compactMap(\.self).joined(separator: "?")
    }
}

extension WebSocketAddress: ExpressibleByStringLiteral {
    /// For addresses in the program's own text.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
