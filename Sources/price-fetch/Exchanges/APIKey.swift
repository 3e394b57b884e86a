import PipeCommon

/// The user's API key for a source. The key is sent in a header, and only over https or to a loopback address. Warnings
/// and failure messages must not contain the key.
struct APIKey: Sendable {
    /// The name of the environment variable that contains the key.
    let variable: String
    /// The text before the key in the `authorization` header.
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

    /// The key without surrounding blanks and line ends; nil if the variable is not set or is blank.
    private var key: String? {
        let text = String(decoding: (read() ?? "").utf8.trimmed, as: UTF8.self)
        return text.isEmpty ? nil : text
    }

    /// The header fields for a request; empty if there is no key, or if others could read the key on the way.
    ///
    /// - Throws: an error if the key may be sent but contains anything other than visible ASCII characters.
    func headers(for url: WebAddress) throws(FetchError) -> [String: String] {
        guard let key, url.isPrivate else { return [:] }
        guard key.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw FetchError(
                .denied, "\(variable) contains a character not allowed in a header", retry: RetryAfter.usual)
        }
        return ["authorization": "\(scheme) \(key)"]
    }

    /// The warning that the key is not sent to an address; nil if there is no key, or if the key may be sent.
    func warning(for url: WebAddress) -> String? {
        key == nil || url.isPrivate
            ? nil : "\(variable) is not sent to \(url.host): use https or a loopback address"
    }

    /// A message in which `...` replaces each occurrence of the key.
    func hidden(in words: String) -> String {
        key.map { words.replacing($0, with: "...") } ?? words
    }
}
