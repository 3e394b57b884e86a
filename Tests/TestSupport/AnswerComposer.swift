/// Composes the steps by which a server sends one answer, according to a `Manner`.
struct AnswerComposer {
    typealias Step = StubServer.Answer.Step

    let body: String
    let timeout: Duration
    var random: SeededRandom
    /// The bodies for unsolicited answers.
    var unaskedBodies: [String] = []
    /// Called when unsolicited bytes are sent. `mayCross` is true if the client might send its next request
    /// before it receives these bytes. In that case, the closure is called again with false after 50 ms
    /// without a request.
    var sendsUnasked: @Sendable (_ mayCross: Bool) -> Void = { _ in }

    mutating func steps(_ manner: Manner) -> [Step] {
        let whole = Self.ok(body)
        switch manner {
        case .plain: return [.send(whole)]
        case .slow: return [.whileIdle(timeout * share(0...0.7), []), .send(whole)]
        case .misnamed:
            let answer = whole.replacing("HTTP/1.1", with: "HTTP/2", maxReplacements: 1)
            return [.whileIdle(timeout * share(0...0.3), []), .send(answer)]
        case .late: return [.wait(timeout * share(1.1...2)), .send(whole)]
        case .split: return split(whole)
        case .chunked: return split(chunked(trailer: ""))
        case .trailer: return [.send(chunked(trailer: "X-Price: 1.00\r\nContent-Length: 3\r\n"))]
        case .informational:
            let early = ["HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n", "HTTP/1.1 100 Continue\r\n\r\n"]
            return split(any(of: early) + whole)
        case .closed: return [.send(Self.ok(body, "Connection: close\r\n")), .close]
        case .keptInSpite: return [.send(Self.ok(body, "Connection: close\r\n"))]
        case .extraMerged: return [marked, .send(named(whole) + unasked())]
        case .extraSplit:
            let extra = Array(unasked().utf8)
            let place = number(in: 1..<extra.count)
            let first = Array(whole.utf8) + extra[..<place]
            return [marked, .send(first), .wait(pause), .send(Array(extra[place...]))]
        case .extraLater:
            return [.send(named(whole)), later(.send(Self.ok(any(of: unaskedBodies))))]
        case .noiseLater: return [.send(named(whole)), later(noise())]
        case .cut: return [.send(String(whole.prefix(number(in: 1..<whole.count)))), ending()]
        case .lengthTooLong:
            return [.send(Self.ok(body, length: body.utf8.count + number(in: 1..<91))), ending()]
        case .lengthTooShort:
            // The length is not 0, because libcurl discards bytes that arrive with an empty body and keeps the
            // connection.
            return [marked, .send(Self.ok(body, length: number(in: 1..<body.utf8.count)))]
        case .twoLengths:
            let second = "Content-Length: \(number(in: 0..<body.utf8.count))\r\n"
            return [.send(Self.ok(body, second)), ending()]
        case .noEnd: return [.send("HTTP/1.1 200 OK\r\n\r\n" + body), ending()]
        case .chunkedWrongly: return [.send(chunkedWrongly()), ending()]
        case .status:
            let status = any(of: [204, 301, 404, 500, 502, 503, 999])
            return [.send(Self.ok(body, status: status)), .close]
        case .redirect:
            let status = any(of: [301, 302, 303, 307, 308])
            return [.send(Self.ok(body, "Location: /elsewhere\r\n", status: status))]
        case .anotherSymbol: return [.send(Self.ok(unaskedBodies[2]))]
        case .dripping: return StubServer.Answer.drip(body, every: timeout / 8).steps
        case .garbage: return [.send(Self.ok(garbage()))]
        case .limited: return [.send(Self.ok(body, "Retry-After: 1\r\n", status: 429))]
        case .nothing: return [any(of: [.close, .wait(timeout * 4)]), .close]
        case .reset: return [.send(String(whole.prefix(number(in: 0..<whole.count)))), .reset]
        }
    }

    // MARK: Parts

    private mutating func any<Element>(of elements: [Element]) -> Element {
        elements.randomElement(using: &random)!
    }

    private mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    static func ok(_ body: String, _ header: String = "", status: Int = 200, length: Int? = nil) -> String {
        "HTTP/1.1 \(status) Some Reason\r\nContent-Length: \(length ?? body.utf8.count)\r\n\(header)\r\n\(body)"
    }

    /// The answer; in one case in four, its status line falsely names HTTP/2. A client that trusts this line
    /// may omit checks that real HTTP/2 makes unnecessary.
    private mutating func named(_ answer: String) -> String {
        number(in: 0..<4) > 0
            ? answer : answer.replacing("HTTP/1.1", with: "HTTP/2", maxReplacements: 1)
    }

    private var marked: Step { .call { [sendsUnasked] in sendsUnasked(false) } }

    /// Returns a step that performs `step` after up to half a second, unless the next request arrives first.
    private mutating func later(_ step: Step) -> Step {
        let pause = Duration.milliseconds(number(in: 0..<501))
        let crossing = Step.call { [sendsUnasked] in sendsUnasked(true) }
        // A request that was sent before these bytes arrived at the client reaches the server within 50 ms.
        return .whileIdle(pause, [step, crossing, .whileIdle(.milliseconds(50), [marked])])
    }

    private var pause: Duration { .milliseconds(2) }

    private mutating func share(_ range: ClosedRange<Double>) -> Double {
        Double.random(in: range, using: &random)
    }

    /// The steps that send a text in pieces of random size.
    private mutating func split(_ text: String) -> [Step] {
        var rest = Array(text.utf8)[...]
        var steps: [Step] = []
        for _ in 0..<number(in: 1..<5) where rest.count > 1 {
            let place = rest.startIndex + number(in: 1..<rest.count)
            steps += [.send(Array(rest[..<place])), .wait(pause)]
            rest = rest[place...]
        }
        return steps + [.send(Array(rest))]
    }

    private mutating func chunks() -> [String] {
        var rest = body[...]
        var chunks: [String] = []
        while !rest.isEmpty {
            let chunk = rest.prefix(number(in: 1..<41))
            chunks.append("\(String(chunk.count, radix: 16))\r\n\(chunk)\r\n")
            rest = rest.dropFirst(chunk.count)
        }
        return chunks
    }

    private static let chunkedHead = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"

    private mutating func chunked(trailer: String) -> String {
        Self.chunkedHead + chunks().joined() + "0\r\n\(trailer)\r\n"
    }

    private mutating func chunkedWrongly() -> String {
        let chunks = chunks()
        let sizes = ["zz", String(body.count + 9, radix: 16), String(body.count - 9, radix: 16)]
        let wrong = sizes.map { "\($0)\r\n\(body)\r\n0\r\n\r\n" }
        return Self.chunkedHead + any(of: wrong + [chunks.joined(), chunks.dropLast().joined(), body])
    }

    /// A body that is not in the exchange's format, although it may contain the price.
    private mutating func garbage() -> String {
        any(of: [
            "", "<html>\u{1B}[31m503</html>", String(body.dropLast()), body + "x", "\u{FEFF}" + body,
            #"{"error":["E\u001b]0;x\u0007:\u202ehostile"],"result":{}}"#, String(repeating: "[", count: 600),
        ])
    }

    /// Unsolicited text that directly follows an answer.
    private mutating func unasked() -> String {
        let answers = unaskedBodies.map { Self.ok($0) }
        return any(of: answers + ["\r\n", "junk", Self.ok("", "Retry-After: 1\r\n", status: 429)])
    }

    /// Unsolicited bytes without a price, for an idle connection.
    private mutating func noise() -> Step {
        let texts = [
            "\r\n", "junk", "HTTP/1.1 200 OK\r\nConte", Self.ok("", "Connection: close\r\n", status: 408),
            Self.ok("", "Retry-After: 1\r\n", status: 429),
        ]
        let beginningOfTLSRecord: [UInt8] = [0x17, 0x03, 0x03, 0x00, 0x50, 1, 2, 3, 4, 5]
        return any(of: texts.map { .send($0) } + [.sendBare(beginningOfTLSRecord)])
    }

    /// The step after an answer that may be incomplete: the connection is closed or reset, or stays open
    /// beyond the timeout.
    private mutating func ending() -> Step {
        any(of: [.close, .reset, .whileIdle(timeout * 4, [.close])])
    }
}
