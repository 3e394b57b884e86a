import PipeCommon

@testable import price_fetch

/// Answers each request by its address, at once or when it is released.
final class CandleClientStub: HTTPClient {
    var answer: (String) -> HTTPResponse
    var isHolding = false
    private(set) var requests: [String] = []
    private(set) var givenUp: [Int] = []
    private var held: [(id: Int, url: String)] = []

    init(_ answer: @escaping (String) -> HTTPResponse) {
        self.answer = answer
    }

    convenience init(_ body: String) {
        self.init { _ in HTTPResponse(status: 200, body: Array(body.utf8)) }
    }

    func get(_ request: HTTPRequest, id: Int, within timeout: Duration) {
        requests.append(request.url.text)
        held.append((id, request.url.text))
    }

    func giveUp(_ id: Int) {
        givenUp.append(id)
        held.removeAll { $0.id == id }
    }

    var watched: [pollfd] { [] }
    var nextDeadline: Deadline? { nil }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [HTTPResult] {
        guard !isHolding else { return [] }
        defer { held = [] }
        return held.map { ($0.id, .success(answer($0.url))) }
    }
}
