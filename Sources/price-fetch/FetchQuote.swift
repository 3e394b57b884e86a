import PipeCommon

/// Asks one source: a reading for a tick, with a quote or with the failure that says why there is none.
struct FetchQuote: Feed {
    let source: Source
    /// The longest wait for an answer.
    let timeout: Duration
    let client: any HTTPClient
    let now: @Sendable () -> Timestamp
    /// Told when the source begins to be out of reach, or to refuse us.
    var warn: @Sendable (String) -> Void = { _ in }
    private let courtesy = Courtesy()
    private let troubles: Troubles

    init(
        source: Source, timeout: Duration, client: any HTTPClient,
        now: @escaping @Sendable () -> Timestamp = Timestamp.now
    ) {
        self.source = source
        troubles = Troubles(with: source)
        self.timeout = timeout
        self.client = client
        self.now = now
    }

    /// A refusal has to be remembered.
    var isWorn: Bool { client.isWorn && courtesy.reason(at: .now) == nil }

    func end() {}

    /// - Parameter start: when the tick was read; from then on its time runs.
    func reading(for tick: Tick, readAt start: Deadline.Instant = .now) async -> Reading {
        let timeout = min(timeout, tick.timeout ?? timeout)
        do throws(Unanswered) {
            if let at = tick.at, at + timeout <= now() {
                throw Unanswered(.timeout, "the tick was read too late")
            }
            if let refused = courtesy.reason(at: start) { throw refused }
            let quote = try await quote(
                of: tick.pricedSymbol, by: Deadline(in: timeout, from: start), timeout)
            tell(troubles.note(nil))
            return Reading(answering: tick, quote, from: source.name)
        } catch {
            courtesy.note(error, at: .now)
            tell(troubles.note(error))
            let (kind, message) = (error.kind, error.message)
            let failure = Failure(source: source.name, kind: kind, message: message, retry: error.retry)
            return Reading(answering: tick, [failure])
        }
    }

    private func tell(_ news: String?) {
        if let news { warn(news) }
    }

    private func quote(
        of symbol: Symbol, by deadline: Deadline, _ timeout: Duration
    ) async throws(Unanswered) -> Quote {
        do {
            let response = try await client.get(try source.request(symbol), by: deadline)
            if let refused = Unanswered(response, at: now()) { throw refused }
            let (price, currency) = try source.price(in: response.body, symbol)
            return Quote(price: price, currency: currency, timestamp: now())
        } catch let error as Refusal {
            throw Unanswered(.invalidData, error.reason)
        } catch let error as Unanswered {
            throw error
        } catch HTTPFailure.network(let message) {
            throw Unanswered(.network, message)
        } catch HTTPFailure.tooLarge {
            throw Unanswered(.invalidData, "an answer over \(HTTPResponse.largestBody / 1024) KiB")
        } catch {
            throw Unanswered(.timeout, "no answer within \(timeout.milliseconds) ms")
        }
    }
}
