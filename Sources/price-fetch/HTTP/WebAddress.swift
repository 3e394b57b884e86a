/// An http or https URL with a host. libcurl checks the URL with the same parser that later reads it for the request.
struct WebAddress: Hashable, Sendable {
    let text: String
    /// The host, without the brackets of an IPv6 address.
    let host: String
    let isEncrypted: Bool

    init?(_ text: String) {
        guard let (scheme, host) = WebText.address(text), ["http", "https"].contains(scheme),
            !host.isEmpty
        else { return nil }
        self.text = text
        self.host = String(host.drop { $0 == "[" }.prefix { $0 != "]" })
        isEncrypted = scheme == "https"
    }

    /// Whether a request to this address is encrypted or goes to `localhost`, to `::1` or to an IPv4 address that
    /// begins with 127. Without a proxy, a request to any of these hosts does not leave this machine.
    var isPrivate: Bool { isEncrypted || isLoopback }

    private var isLoopback: Bool {
        let numbers = host.split(separator: ".", omittingEmptySubsequences: false)
        let isIPv4 = numbers.count == 4 && numbers.allSatisfy { UInt8($0) != nil }
        return isIPv4 && numbers[0] == "127" || ["localhost", "::1"].contains(host.lowercased())
    }
}

extension WebAddress: ExpressibleByStringLiteral {
    /// Creates an address from a literal, which must be a valid URL.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}

/// A ws or wss URL: where to connect, and the resource that the handshake requests there.
struct WebSocketAddress: Hashable, Sendable {
    /// This address, written as an http or https URL for the transport.
    let transport: WebAddress
    /// The host, with its port if the URL contains a port.
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
        authority = String(origin.split(separator: "@").last ?? origin)
        target = (named.dropFirst(origin.count).first == "/" ? "" : "/") + named.dropFirst(origin.count)
    }
}

extension WebSocketAddress: ExpressibleByStringLiteral {
    /// Creates an address from a literal, which must be a valid URL.
    init(stringLiteral text: String) {
        self.init(text)!
    }
}
