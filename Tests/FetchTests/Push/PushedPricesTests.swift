import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The rule that decides how long a pushed price stays valid.
@Suite(.unit) struct PushedPricesTests {
    private let start = Deadline.Instant.now
    private let time = Timestamp.now()

    private func makeSUT(_ price: String, sequence: Int? = nil) -> PushedPrices {
        var sut = PushedPrices(maxAge: .seconds(5))
        sut.proveLife(at: start, time)
        let isNewer = sut.receive(Price(price)!, of: "A", sequence: sequence)
        #expect(isNewer)
        return sut
    }

    private func receive(_ price: String, _ sequence: Int, by sut: inout PushedPrices) -> Bool {
        sut.receive(Price(price)!, of: "A", sequence: sequence)
    }

    private func price(_ sut: PushedPrices, after age: Duration) -> String? {
        sut.price(of: "A", at: start + age)?.price.text
    }

    @Test func `a price is valid until its last confirmation is as old as the limit`() {
        let sut = makeSUT("1.5")
        #expect(price(sut, after: .zero) == "1.5" && price(sut, after: .milliseconds(4999)) == "1.5")
        #expect(price(sut, after: .seconds(5)) == nil)
        #expect(sut.price(of: "B", at: start) == nil)
    }

    @Test func `without sequence numbers, a price that is older by its own time replaces none`() {
        var sut = makeSUT("1.5")
        for (price, seconds) in [("2.5", 10), ("1.9", 9), ("2.6", 10)] {
            let isUsed = sut.receive(Price(price)!, of: "A", sequence: nil, time: time + .seconds(seconds))
            #expect(isUsed)
            #expect(self.price(sut, after: .zero) == (price == "1.9" ? "2.5" : price))
        }
    }

    @Test func `a sign of life confirms an old price and gives it a new time`() {
        var sut = makeSUT("1.5")
        sut.proveLife(at: start + .seconds(600), time + .seconds(600))
        let (price, timestamp) = sut.price(of: "A", at: start + .seconds(604)) ?? (Price("9")!, time)
        #expect(price.text == "1.5" && timestamp == time + .seconds(600))
    }

    @Test func `a new connection does not confirm prices of the old one`() {
        var sut = makeSUT("1.5")
        sut.reconnect()
        sut.proveLife(at: start + .seconds(4), time + .seconds(4))
        #expect(price(sut, after: .milliseconds(4999)) == "1.5")
        #expect(price(sut, after: .seconds(5)) == nil)
    }

    @Test func `if a sequence number goes back, neither price is used`() {
        var sut = makeSUT("2", sequence: 10)
        #expect(!receive("1", 9, by: &sut))
        #expect(price(sut, after: .zero) == nil)
        #expect(receive("3", 10, by: &sut))
        #expect(price(sut, after: .zero) == "3")
    }

    @Test func `a new connection may restart its sequence numbers`() {
        var sut = makeSUT("2", sequence: 10)
        sut.reconnect()
        #expect(receive("3", 1, by: &sut))
    }

    @Test func `the price of a market is forgotten when its subscription ends`() {
        var sut = makeSUT("2")
        sut.forget("A")
        #expect(price(sut, after: .zero) == nil)
    }
}
