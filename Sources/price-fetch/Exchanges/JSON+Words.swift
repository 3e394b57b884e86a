import PipeCommon

/// Where exchanges write why they refuse.
private let places: [JSONPointer] = [
    "/msg", "/error", "/error/0", "/message", "/Message", "/reason", "/errors/0/message", "/Err/message",
]

extension JSON {
    /// Why a server refuses, in its own words: one printable line of at most 100 characters. Nil without words.
    var words: String? {
        let words = places.lazy.compactMap { $0.value(in: self)?.string }.first { !$0.isEmpty }
        return words.map { printable($0, atMost: 100) }
    }
}
