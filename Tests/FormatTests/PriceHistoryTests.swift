import TestTraits
import Testing

@testable import price_format

/// A history of prices in time steps of equal length, and the sparklines that show it.
@Suite(.unit) struct PriceHistoryTests {
    private func makeSUT(_ bound: PriceHistory.Bound = .latest, _ prices: (Int, Int128)...) -> PriceHistory {
        var sut = PriceHistory(step: 10, limit: 4, bound)
        for (time, price) in prices { sut.record(price, at: time) }
        return sut
    }

    @Test func `the price of a time step is the last price recorded in that step`() {
        let sut = makeSUT(.latest, (5, 1), (9, 2), (10, 3), (31, 4))
        #expect(sut.last(4, until: 31) == [2, 3, nil, 4])
        #expect(sut.last(4, until: 49) == [3, nil, 4, nil])
        #expect(sut.last(4, until: 500) == [nil, nil, nil, nil])
    }

    @Test func `a history is empty at first and begins with its first price`() {
        #expect(makeSUT().last(4, until: 40) == [])
        #expect(makeSUT(.latest, (0, 1)).last(4, until: 10) == [1, nil])
    }

    @Test func `if there are more steps than the limit allows, the oldest steps are discarded`() {
        let sut = makeSUT(.latest, (0, 1), (10, 2), (20, 3), (30, 4), (40, 5), (50, 6))
        #expect(sut.last(10, until: 50) == [3, 4, 5, 6])
    }

    @Test func `if the history of a whole session exceeds the limit, the steps become longer`() {
        var sut = makeSUT(.all, (0, 1), (10, 2), (20, 3), (30, 4))
        #expect(sut.step == 10)
        sut.record(5, at: 40)
        #expect(sut.step == 20 && sut.last(10, until: 40) == [2, 4, 5])
        sut.record(6, at: 1000)
        #expect(sut.last(10, until: 1000).first == 5 && sut.last(10, until: 1000).last == 6)
        #expect(sut.last(10, until: 1000).count <= 4)
    }

    @Test func `a slightly earlier price joins the last step, but a much earlier price resets the history`() {
        var sut = makeSUT(.latest, (100, 1), (110, 2))
        sut.record(3, at: 90)
        #expect(sut.last(4, until: 90) == [1, 3])
        sut.record(4, at: 20)
        #expect(sut.last(4, until: 20) == [4])
        sut.record(5, at: 90)
        #expect(sut.last(4, until: 90) == [nil, nil, nil, 5])
    }

    @Test(arguments: [PriceHistory.Bound.latest, .all])
    func `the number of steps stays bounded, however far the clock jumps`(bound: PriceHistory.Bound) {
        var sut = makeSUT(bound, (0, 1), (10, 2))
        #expect(sut.last(.max, until: 253_402_300_799_999).count <= 6)
        sut.record(3, at: 253_402_300_799_999)
        #expect(sut.last(.max, until: 253_402_300_799_999).last == 3)
        sut.record(4, at: 0)
        #expect(sut.last(.max, until: 0).last == 4)
    }

    @Test func `a cell shows the last price of its steps, and the current cell is hidden while it is empty`()
    {
        let sut = makeSUT(.latest, (5, 1), (15, 2), (25, 3))
        #expect(sut.cells(8, of: 2, until: 25, holding: 1) == [2, 3])
        #expect(sut.cells(1, of: 2, until: 39, holding: 1) == [3])
        #expect(sut.cells(8, of: 2, until: 40, holding: 1) == [2, 3])
        #expect(sut.cells(8, of: 2, until: 60, holding: 1) == [2, 3, nil])
        #expect(makeSUT().cells(8, of: 2, until: 60, holding: 1) == [])
    }

    @Test func `a price is repeated in the following cells until the next price is due`() {
        let sut = makeSUT(.latest, (0, 1), (30, 2))
        #expect(sut.cells(8, of: 1, until: 30, holding: 1) == [1, nil, nil, 2])
        #expect(sut.cells(8, of: 1, until: 30, holding: 2) == [1, 1, nil, 2])
        #expect(sut.cells(8, of: 1, until: 50, holding: 3) == [1, 1, 1, 2, 2, 2])
        #expect(sut.cells(2, of: 2, until: 253_402_300_799_999, holding: 98) == [nil, nil])
        #expect(sut.cells(8, of: 1, until: 0, holding: 3) == [1, 1, 1, 2])
    }

    @Test func `higher prices get higher characters, and equal prices get characters of medium height`() {
        let (unicode, ascii) = (Glyphs.unicode, Glyphs.ascii)
        #expect(unicode.sparkline(of: [0, 1, 2, 3, 4, 5, 6, 7]) == "▁▂▃▄▅▆▇█")
        #expect(
            unicode.sparkline(of: [5, 5, nil, nil]) == "▄▄··" && unicode.sparkline(of: [nil, nil]) == "··")
        #expect(ascii.sparkline(of: [0, 1, 2, 3, 4, nil]) == "_.-=^ " && ascii.sparkline(of: [3]) == "-")
    }

    @Test func `if there are more prices than columns, the prices are thinned evenly`() {
        let prices: [Int128?] = (1...16).map { ($0 - 1) / 2 }
        #expect(Glyphs.unicode.sparkline(of: prices, columns: 8) == "▁▂▃▄▅▆▇█")
        #expect(Glyphs.unicode.sparkline(of: prices, columns: 20).count == 16)
    }
}
