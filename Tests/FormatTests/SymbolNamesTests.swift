import PipeCommon
import TestTraits
import Testing

@testable import price_format

/// The file that contains the symbols' names and descriptions.
@Suite(.unit) struct SymbolNamesTests {
    private func entry(_ name: String, _ description: String = "") -> SymbolNames.Entry {
        SymbolNames.Entry(name: name, description: description)
    }

    @Test func `a line contains a symbol, its name and, optionally, its description`() {
        let sut = SymbolNames(
            "# Stocks\nNVDA\tNvidia\tMakes chips.\r\n\n \t\nAAPL\tApple\nF\tFord\tCars\tand vans\n")
        #expect(sut[Symbol("NVDA")!] == entry("Nvidia", "Makes chips."))
        #expect(sut[Symbol("AAPL")!] == entry("Apple"))
        #expect(sut[Symbol("F")!] == entry("Ford", "Cars?and vans"))
        #expect(sut[Symbol("TSLA")!] == nil && sut.badLines == [])
    }

    @Test func `invalid lines are skipped, and their line numbers are recorded`() {
        let sut = SymbolNames("NVDA\n\tApple\nA B\tC\nAAPL\t\nTSLA\tTesla")
        #expect(sut.badLines == [1, 2, 3, 4] && sut[Symbol("TSLA")!] == entry("Tesla"))
    }

    @Test func `a pair that is not in the file takes its name from a pair of the same coin`() {
        let sut = SymbolNames("BTC-USD\tBitcoin\nBTC-CHF\tOther\nBRK-A\tBerkshire")
        #expect(sut[Symbol("BTC-EUR")!] == entry("Bitcoin") && sut[Symbol("BTC-CHF")!] == entry("Other"))
        #expect(
            ["BRK-B", "BTC", "BTC-A-EUR", "BTC-ABCDEF"].allSatisfy { sut[Symbol($0)!] == nil })
    }

    @Test func `control and format characters in a name are replaced by question marks`() {
        #expect(SymbolNames("A\t\u{1B}[31mX\u{202E}")[Symbol("A")!] == entry("?[31mX?"))
    }
}
