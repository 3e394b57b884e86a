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

    var nextDeadline: Deadline? { client.nextDeadline }

    func giveUp(at now: Deadline.Instant) {
        client.giveUp(at: now)
    }

    func answer(
        _ tick: Tick, readAt start: Deadline.Instant, with give: @escaping @Sendable (Reading) -> Void
    ) {
        let timeout = tick.timeout(atMost: timeout)
        do throws(Unanswered) {
            if let at = tick.at, at + timeout <= now() {
                throw Unanswered(.timeout, "the tick was read too late")
            }
            if let refused = courtesy.reason(at: start) { throw refused }
            client.get(try request(tick.pricedSymbol), by: Deadline(in: timeout, from: start)) { answer in
                let quote = quote(tick.pricedSymbol, in: answer, within: timeout)
                if case .failure(let reason) = quote { courtesy.note(reason, at: .now) }
                give(reading(for: tick, quote))
            }
        } catch {
            give(reading(for: tick, .failure(error)))
        }
    }

    private func request(_ symbol: Symbol) throws(Unanswered) -> HTTPRequest {
        do throws(InvalidInput) { return try source.request(symbol) } catch { throw Unanswered(error) }
    }

    private func quote(
        _ symbol: Symbol, in answer: Result<HTTPResponse, HTTPFailure>, within timeout: Duration
    ) -> Result<Quote, Unanswered> {
        answer.mapError { Unanswered($0, within: timeout) }.flatMap { response in
            if let refused = Unanswered(response, at: now()) { return .failure(refused) }
            return Result { () throws(InvalidInput) in try source.price(in: response.body, symbol) }
                .map { price, currency in Quote(price: price, currency: currency, timestamp: now()) }
                .mapError(Unanswered.init)
        }
    }

    private func reading(for tick: Tick, _ quote: Result<Quote, Unanswered>) -> Reading {
        switch quote {
        case .success(let quote):
            tell(troubles.note(nil))
            return Reading(answering: tick, quote, from: source.name)
        case .failure(let reason):
            tell(troubles.note(reason))
            let (kind, message) = (reason.kind, reason.message)
            let failure = Failure(source: source.name, kind: kind, message: message, retry: reason.retry)
            return Reading(answering: tick, [failure])
        }
    }

    private func tell(_ news: String?) {
        if let news { warn(news) }
    }
}
