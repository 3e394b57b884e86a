import PipeCommon

/// Answers each tick from a stream: a command that prints one JSON message per line. A tick that is read
/// before the first price, or after the last one has become too old, waits for one until its time limit.
final class StreamFeed: PriceFeed {
    let name: String
    private let process: StreamProcess
    private var price: StreamedPrice
    private var waiting: [Question] = []

    init(_ command: String, name: String, price: StreamedPrice, reports: Reports) {
        self.name = name
        self.price = price
        process = StreamProcess(command, silence: StreamSilence(maxAge: price.maxAge), reports: reports)
    }

    func ask(_ question: Question) {
        waiting.append(question)
    }

    func giveUp(_ question: Question) -> FetchError {
        waiting.removeAll { $0.id == question.id }
        return FetchError(.timeout, process.problem ?? "no new price in the stream")
    }

    func end() {
        process.end()
    }

    var watched: [pollfd] {
        process.output.map { [pollfd(fd: $0, events: Int16(POLLIN), revents: 0)] } ?? []
    }

    var nextDeadline: Deadline? { process.nextDeadline }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [Answer] {
        if ready.contains(where: { $0.revents != 0 }) {
            let messages = process.read(at: now)
            if price.receive(messages, received: .now(), at: now) { process.recordPrice(at: now) }
        }
        process.restartIfSilent(at: now)
        process.startWhenDue(at: now)
        return answerWaiting(at: now)
    }

    private func answerWaiting(at now: Deadline.Instant) -> [Answer] {
        var answers: [Answer] = []
        waiting.removeAll { question in
            guard let quote = price.quote(in: question.subject.symbol.currency, at: now) else { return false }
            answers.append(Answer(id: question.id, quote: .success(quote)))
            return true
        }
        return answers
    }
}

/// The newest price in a stream of messages, and how old it may be. Pure.
struct StreamedPrice {
    private let pointer: JSONPointer
    let maxAge: Duration
    private var newest: (price: Price, timestamp: Timestamp, at: Deadline.Instant)?

    init(at pointer: JSONPointer, maxAge: Duration) {
        self.pointer = pointer
        self.maxAge = maxAge
    }

    /// Keeps the last price in some messages; messages without one are ignored.
    ///
    /// - Returns: whether there was one.
    mutating func receive(_ messages: [[UInt8]], received: Timestamp, at now: Deadline.Instant) -> Bool {
        for message in messages.reversed() {
            guard let price = try? JSON(parsing: message).price(pointer, as: .either) else { continue }
            newest = (price, received, now)
            return true
        }
        return false
    }

    /// - Returns: nil if there is no price, or if it has reached the maximum age.
    func quote(in currency: Currency, at now: Deadline.Instant) -> Quote? {
        guard let newest, now - newest.at < maxAge else { return nil }
        return Quote(price: newest.price, currency: currency, timestamp: newest.timestamp)
    }
}
