import PipeCommon

extension FetchError {
    /// Why a feed is not connected.
    init(_ error: WebSocketError, at now: Timestamp) {
        switch error {
        case .refused(let status, let retryAfter):
            let response = HTTPResponse(status: status, retryAfter: retryAfter, body: [])
            self.init(refusal: response, nil, "no upgrade to a WebSocket", at: now)
        case .notOpened(let reason), .lost(let reason): self.init(.network, reason)
        case .violation(_, let reason): self.init(.invalidData, reason)
        case .closed: self.init(.network, "the server closed the connection")
        }
    }
}
