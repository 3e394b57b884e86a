import PipeCommon

/// The user's key for a source: sent in a header, over https or to a loopback address only, and shown nowhere.
struct APIKey: Sendable {
    /// The environment variable that holds the key.
    let variable: String
    /// The value of the header `authorization` before the key.
    let scheme: String
    private let read: @Sendable () -> String?

    init(
        _ variable: String, scheme: String,
        read: @escaping @Sendable (String) -> String? = environmentVariable
    ) {
        self.variable = variable
        self.scheme = scheme
        self.read = { read(variable) }
    }

    /// Without the blanks and line ends around it, as a file with CRLF leaves them; nil without a key.
    private var key: String? {
        let text = String(decoding: (read() ?? "").utf8.trimmed, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// The header of a request; none without a key, or where others could read it.
    ///
    /// - Throws: when the key cannot be in a header.
    func headers(for url: WebAddress) throws(FetchError) -> [String: String] {
        guard let key, url.isPrivate else { return [:] }
        guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw FetchError(
                .denied, "\(variable) holds a character that a header cannot carry", retry: RetryAfter.usual)
        }
        return ["authorization": "\(scheme) \(key)"]
    }

    /// What the user must know when the key is not sent.
    func warning(for url: WebAddress) -> String? {
        key == nil || url.isPrivate
            ? nil : "\(variable) is not sent to \(url.host): it needs https or a loopback address"
    }

    /// A server's words without the key.
    func hidden(in words: String) -> String {
        key.map { words.replacing($0, with: "...") } ?? words
    }
}
