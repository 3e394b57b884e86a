/// A ws or wss URL: where to connect, and what the handshake requests there.
struct WebSocketAddress: Hashable, Sendable {
    /// The same address as an http or https URL, for the transport.
    let transport: WebAddress
    /// The host, with its port if the URL has one.
    let authority: String
    /// The path and the query.
    let target: String

    init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }
        let place = text.dropFirst(scheme.count)
        guard let plain = ["ws": "http", "wss": "https"][scheme.lowercased()], place.hasPrefix("://"),
            let transport = WebAddress(plain + place)
        else { return nil }
        self.transport = transport
        let named = place.dropFirst(3).prefix { $0 != "#" }
        let origin = named.prefix { !"/?".contains($0) }
        authority = origin.split(separator: "@").last.map(String.init) ?? ""
        target = (named.dropFirst(origin.count).first == "/" ? "" : "/") + named.dropFirst(origin.count)
    }
}

extension WebSocketAddress: ExpressibleByStringLiteral {
    /// For literals in the source code.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
