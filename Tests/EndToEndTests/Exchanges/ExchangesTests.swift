import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

@testable import price_fetch

/// Rules for every named source, whatever it answers.
@Suite(.endToEnd) struct ExchangesTests {
    @Test(arguments: PriceSource.all.map(\.name))
    func `each source has tests of its own`(name: String) throws {
        let folder = Programs.project.appending(path: "Tests/EndToEndTests/Exchanges").path
        let files = try FileManager.default.contentsOfDirectory(atPath: folder)
        #expect(files.contains { $0.lowercased() == "\(name)tests.swift" })
    }

    @Test func `names are unique and easy to type`() {
        let names = PriceSource.all.map(\.name)
        #expect(Set(names).count == names.count && !names.contains(EchoFeed.name))
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z0-9]{2,16}/) != nil })
    }

    @Test(arguments: PriceSource.all.map(\.name))
    func `each source uses TLS for prices, candles and its feed`(name: String) throws {
        let source = try #require(PriceSource.all.first { $0.name == name })
        let market = try source.market(of: .bitcoin)
        let range = CandleSpan(candle: .day, first: Timestamp("2026-11-20T00:00:00.000Z")!, count: 3)
        #expect(source.url(market).hasPrefix("https://"))
        if let candles = source.candles { #expect(candles.url(market, range).hasPrefix("https://")) }
        if let push = source.push { #expect(push.address.transport.text.hasPrefix("https://")) }
    }

    @Test(.fault(13, 14), arguments: PriceSource.all.map(\.name))
    func `an error status gives a failure of the right kind, whatever the body is`(name: String) throws {
        let source = try #require(PriceSource.all.first { $0.name == name })
        let market = try source.market(of: .bitcoin)
        for (status, kind) in [
            (429, Failure.Kind.rateLimited), (403, .denied), (451, .denied), (500, .invalidData),
        ] {
            for body in ["", "<html>", "{}", "[]"] {
                let response = HTTPResponse(status: status, body: Array(body.utf8))
                let error = #expect(throws: FetchError.self) {
                    try source.prices(of: [market], in: response, at: anyTime())
                }
                #expect(error?.kind == kind, "\(status) \(body)")
            }
        }
    }
}

extension CandlePayload {
    /// An answer with candles of these days.
    func page(_ rows: [(beginning: Timestamp, close: String)]) -> String {
        body(rows.map { (String($0.beginning.text.prefix(16)), $0.close) })
    }
}
