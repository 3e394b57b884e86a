/// How an exchange answers a request.
public enum Manner: CaseIterable, Sendable {
    // The answer is complete, and comes in time.
    case plain, slow, split, chunked, trailer, informational, closed, keptInSpite, misnamed
    // The answer comes after its time.
    case late
    // The answer is complete, and is followed by bytes that no request has asked for.
    case extraMerged, extraSplit, extraLater, noiseLater
    // What comes is not an answer to the request, or has no proven end: its price must never be shown.
    case cut, lengthTooLong, lengthTooShort, twoLengths, noEnd, chunkedWrongly, status, redirect,
        anotherSymbol
    case nothing, reset

    /// Whether the price of the answer must never be shown.
    var answersInVain: Bool {
        switch self {
        case .plain, .slow, .split, .chunked, .trailer, .informational, .closed, .keptInSpite, .misnamed,
            .late,
            .extraMerged, .extraSplit, .extraLater, .noiseLater:
            false
        default: true
        }
    }

    /// How the prices of several symbols are arranged in an answer.
    enum Listing: CaseIterable {
        case good, missing, doubled, foreign, malformed, unknown
    }

    /// Those that a proxy passes on, which keeps its own connections and reads the answers itself. An answer that ends
    /// with its connection gets an end from the proxy.
    public static let behindProxy: [Manner] = [
        .plain, .slow, .split, .chunked, .trailer, .informational, .closed, .late, .cut, .lengthTooLong,
        .status, .redirect, .anotherSymbol, .nothing, .reset,
    ]
}
