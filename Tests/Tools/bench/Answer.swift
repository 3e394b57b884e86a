import PipeCommon

/// A source that answers each tick immediately and so costs little more than its pipe.
func answerTicks(_ diagnostics: Diagnostics) throws -> ExitStatus {
    var ticks = RecordReader<Tick>(diagnostics: diagnostics)
    var output = LiveWriter(diagnostics: diagnostics)
    let (price, time) = (Price("61141.09")!, Timestamp("2024-03-01T00:00:00.000Z")!)
    let quote = Quote(price: price, currency: .usDollar, timestamp: time)
    while try ticks.readMore() {
        while let tick = ticks.next() {
            try output.add(Reading(answering: tick, quote, from: "instant"))
        }
        try output.flush()
    }
    return ticks.status
}
