import PipeCommon
import TestTraits
import Testing

@testable import price_fetch

/// The rule that decides how long a pushed price stays valid.
@Suite(.unit) struct PushedPricesTests {
    private let start = Deadline.Instant.now
    private let time = Timestamp.now()

    private func makeSUT() -> PushedPrices {
        var sut = PushedPrices(maxAge: .seconds(5))
        sut.proveLife(at: start, time)
        let isNewer = sut.receive(Price("1.5")!, of: "A", sequence: nil)
        #expect(isNewer)
        return sut
    }

    private func price(_ sut: PushedPrices, after age: Duration) -> String? {
        sut.price(of: "A", at: start + age)?.price.text
    }

    @Test func `a price is valid for five seconds after its last confirmation`() {
        let sut = makeSUT()
        #expect(price(sut, after: .zero) == "1.5" && price(sut, after: .milliseconds(4999)) == "1.5")
        #expect(price(sut, after: .seconds(5)) == nil && sut.price(of: "B", at: start) == nil)
    }

    @Test func `without sequence numbers, a price with an older timestamp does not replace a newer price`() {
        var sut = makeSUT()
        for (price, seconds) in [("2.5", 10), ("1.9", 9), ("2.6", 10)] {
            let isUsed = sut.receive(Price(price)!, of: "A", sequence: nil, time: time + .seconds(seconds))
            #expect(isUsed)
            #expect(self.price(sut, after: .zero) == (price == "1.9" ? "2.5" : price))
        }
        // The same applies to the first price of a new connection.
        sut.reconnect()
        _ = sut.receive(Price("1.9")!, of: "A", sequence: nil, time: time)
        #expect(price(sut, after: .zero) == "2.6")
    }

    @Test func `after a message that is out of order, further prices of the market are ignored`() {
        var sut = makeSUT()
        let areInOrder = [2, 1, 3].map { sut.receive(Price("2.5")!, of: "A", sequence: $0) }
        #expect(areInOrder == [true, false, true] && price(sut, after: .zero) == nil)
    }

    @Test func `a new connection does not confirm prices of the old connection`() {
        var sut = makeSUT()
        sut.reconnect()
        sut.proveLife(at: start + .seconds(4), time + .seconds(4))
        #expect(price(sut, after: .milliseconds(4999)) == "1.5" && price(sut, after: .seconds(5)) == nil)
    }
}
