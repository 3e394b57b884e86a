import TestSupport
import TestTraits
import Testing

/// Bodies without a valid, current price. `ExchangesTests` covers malformed answers from each built-in source.
@Suite(.endToEnd) struct MalformedBodyFaultTests {
    private let fetch = FetchUnderTest()

    @Test(.fault(45)) func `an old answer from an HTTP cache is rejected`() throws {
        let server = StubServer(.ok(Array(FetchUnderTest.goodBody.utf8), headers: ["age: 3600"]))
        let running = fetch.start(server.url())
        let failure = try running.failure()
        #expect(failure.kind == .invalidData && failure.message.hasSuffix("Z, more than 60 s ago"))
        server.answer(with: .ok(Array(FetchUnderTest.goodBody.utf8), headers: ["age: 5"]))
        #expect(try running.answer().quote != nil)
    }

    @Test(.fault(9, 11)) func `a malformed price is rejected, with and without quotation marks`() throws {
        let prices = [
            "-1", "-68901.23", "0", "-0", "0.0", "0.000000000000", "NaN", "nan", "Infinity", "-Infinity",
            "1e400", "1e5", "1E2", "1,234.5", "1.234,5", "1abc", "0x1F", " 1", "1 ", "+1", ".5", "5.", "1..5",
            "1.2.3", "", "６８９０１", "٦٨٩", String(repeating: "9", count: 60), "1234567890123",
            "0.0000000000001", "null", "true", "false", "$1", "1\\u0000", "１.５", "[]", "{}", "[1.5]",
        ]
        // Without quotation marks, a price may contain an exponent or be surrounded by spaces.
        let bare = prices.filter { !["1", "1e5", "1E2"].contains($0.trimmingCharacters(in: .whitespaces)) }
        let bodies = prices.map { "{\"p\":\"\($0)\"}" } + bare.map { "{\"p\":\($0)}" }
        let server = StubServer(.silence)
        let running = fetch.startCustom(server.url(), timeout: "20s")
        for (tick, body) in bodies.enumerated() {
            server.answer(with: .ok(body))
            #expect(try running.failure(at: tick).kind == .invalidData, "\(body)")
        }
        server.answer(with: .ok(#"{"p":"1.5"}"#))
        #expect(try running.answer().quote != nil)
        #expect(server.requests.count == bodies.count + 1 && running.finish().status == 0)
    }
}
