import Foundation
import PipeCommon
import TestSupport
import TestTraits
import Testing

/// The next line comes within the budget of its tick, whatever a source, a disk or a reader does: searched at random.
/// `BTC_PRICE_SEED` repeats a search.
@Suite(.endToEnd, .serialized) struct BeatFaultTests {
    @Test(.fault(23, 31, 34, 40), arguments: 0..<FullSize.count(short: 2, full: 60))
    func `every line comes within its budget, whatever sources, the store and the reader do`(search: Int) {
        let sut = BeatSearch(seed: Seed.value &+ UInt64(search) &* 1009, chain: ReferenceChain())
        let status = sut.run(for: FullSize.isWanted ? .seconds(20) : .milliseconds(2500))
        #expect(sut.late == [], "\(sut.description), \(Seed.text)")
        #expect(status == sut.store.status, "\(sut.description), \(Seed.text)")
        if FullSize.isWanted {
            print("beat \(search): \(sut.description), \(sut.ticks) ticks, \(sut.slowest.milliseconds) ms")
        }
    }
}
