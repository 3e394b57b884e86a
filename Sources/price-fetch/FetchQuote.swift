import PipeCommon

/// Asks one source: a reading for a tick, with a quote or with the failure that says why there is none.
struct FetchQuote: Sendable {
    let source: Source
    /// The longest wait for an answer.
    let timeout: Duration
    let client: any HTTPClient
    var now: @Sendable () -> Timestamp = Timestamp.now

    /// - Parameter start: when the tick was read; from then on its time runs.
    func reading(for tick: Tick, readAt start: Deadline.Instant = .now) async -> Reading {
        let timeout = min(timeout, tick.timeout ?? timeout)
        do throws(Unanswered) {
            if let at = tick.at, at + timeout <= now() {
                throw Unanswered(.timeout, "the tick was read too late")
            }
            let quote = try await quote(
                of: tick.symbol ?? .bitcoin, by: Deadline(in: timeout, from: start), timeout)
            return Reading(answering: tick, quote, from: source.name)
        } catch {
            return Reading(
                answering: tick, [Failure(source: source.name, kind: error.kind, message: error.message)])
        }
    }

    private func quote(
        of symbol: Symbol, by deadline: Deadline, _ timeout: Duration
    ) async throws(Unanswered) -> Quote {
        do {
            let response = try await client.get(try source.request(symbol), by: deadline)
            if let refused = Unanswered(status: response.status, body: response.body) { throw refused }
            let (price, currency) = try source.price(try JSONParser.parse(response.body), symbol)
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
