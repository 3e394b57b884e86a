import PipeCommon

/// The texts for times, prices, changes, failures, disputes and markets. The words are English; times and prices are
/// formatted for a given locale.
struct Wording {
    private let time: LocalTimeFormatter
    private let timeWithYear: LocalTimeFormatter
    /// A formatter for the year of a given time, and another for the current year, because a formatter caches only its
    /// last text.
    private let years: (of: LocalTimeFormatter, now: LocalTimeFormatter)
    private let now: () -> Timestamp
    let money: MoneyFormatter
    /// Formats the time of day, with seconds.
    let clock: LocalTimeFormatter
    /// A hint for the user if a price is missing and a source has failed with a network error.
    var offlineHint: String?
    /// Replaces the characters that the terminal may be unable to display in the names of sources, in the messages of
    /// failures and in the hint. By default, replaces nothing.
    var shown: (String) -> String = { $0 }
    var shownHint: String? { offlineHint.map(shown) }

    /// - Parameters:
    ///   - yearFormat: the format for times that are not in the current year.
    ///   - offset: returns the offset of local time from UTC at a given moment, in seconds.
    init(
        timeFormat: String, withYear yearFormat: String, locale: ICULocale,
        offset: @escaping (Timestamp) -> Int = LocalTimeFormatter.systemOffset,
        now: @escaping () -> Timestamp = Timestamp.now
    ) {
        func formatter(_ format: String) -> LocalTimeFormatter {
            LocalTimeFormatter(format: format, locale: locale, offset: offset)
        }
        (time, timeWithYear) = (formatter(timeFormat), formatter(yearFormat))
        years = (formatter("y"), formatter("y"))
        clock = formatter(TimeFormat.clock(in: locale))
        self.now = now
        money = MoneyFormatter(locale: locale)
    }

    /// The text of a time. Unless `--time-format` was given, a time that is not in the current year is written with its
    /// year.
    ///
    /// - Parameter now: the time that determines the current year; nil for the wall clock.
    func text(_ time: Timestamp, at now: Timestamp?) -> String {
        let now = now ?? self.now()
        // In today's time zones, no year begins in the middle of a minute, so times in the same minute are in the same
        // year. If the minutes were not compared first, replaying a recording with one line per minute would take one
        // and a half times as long.
        let isSame =
            time.milliseconds / 60_000 == now.milliseconds / 60_000
            || years.of.text(time) == years.now.text(now)
        return isSame ? self.time.text(time) : timeWithYear.text(time)
    }

    /// The banner for a price that is not new, or for a missing price.
    func banner(of reading: Reading, at now: Timestamp? = nil) -> String {
        guard let quote = reading.quote else {
            let hint = shownHint.flatMap { reading.isOffline ? "; \($0)" : nil }
            return noPrice(in: [reading]) + (hint ?? "")
        }
        let updated = text(quote.timestamp, at: now ?? reading.at)
        return "Failed to update value. Displaying last updated value from \(updated)\(origin(of: reading))"
    }

    /// The source of a stored price, such as ` (source: kraken)`, if other sources have failed but this source has not.
    /// In that case, this source was probably not queried this time, for example because only an earlier command used
    /// it. Otherwise, the result is empty. Failures of the kind `expired` do not count.
    private func origin(of reading: Reading) -> String {
        let failures = reading.failures.filter { $0.kind != .expired }
        guard let source = reading.source, !failures.isEmpty,
            !failures.contains(where: { $0.source == source })
        else { return "" }
        return " (source: \(shown(source)))"
    }

    /// Explains why no price has arrived: `No price yet: binance: Could not resolve host: api.binance.com`. The text
    /// lists the `reasons` of the first reading that contains failures, but only the first failure of each kind.
    func noPrice(in readings: [Reading]) -> String {
        var kinds: Set<Failure.Kind> = []
        let reasons = (readings.first { !$0.failures.isEmpty }?.reasons ?? [])
            .filter { kinds.insert($0.kind).inserted }
            .map(text)
        return (["No price yet"] + [reasons.joined(separator: "; ")].filter { !$0.isEmpty })
            .joined(separator: ": ")
    }

    /// The source and the message of a failure.
    func text(_ failure: Failure) -> String { shown("\(failure.source): \(failure.message)") }

    /// The time of the data: `Data from …`, or `Out of date: from …, 3 d ago` in red.
    ///
    /// - Parameter subject: the symbols that are out of date; empty if the text need not name them.
    func age(ofDataFrom time: Timestamp, isOld: Bool, _ subject: String = "", at now: Timestamp) -> Styled {
        let text = text(time, at: now)
        if !isOld { return Styled("Data from \(text)") }
        let name = subject.isEmpty ? "" : "\(subject) "
        return Styled("Out of date: \(name)from \(text), \(Age(since: time, at: now).text) ago", .down)
    }

    /// The text of a change in hundredths of a percent, for example `+1.84%` for 184, followed by `more`. A rise is
    /// green, and a fall is red.
    func percentage(_ hundredths: Int, _ more: String = "") -> Styled {
        let meaning: Palette.Meaning? = hundredths > 0 ? .up : hundredths < 0 ? .down : nil
        return Styled(money.percentage(hundredths: hundredths) + more, meaning)
    }

    /// The text of the change from one price to another; nil if the change is too large for an `Int`.
    ///
    /// - Parameter isFine: whether a change that would be rounded to zero is shown with four decimals, such as
    ///   `+0.0031%`, unless it would still be rounded to zero.
    func percentage(from old: Price, to new: Price, isFine: Bool) -> Styled? {
        guard let hundredths = Price.hundredths(from: old, to: new) else { return nil }
        guard hundredths == 0, isFine, let fine = Price.hundredths(from: old, to: new, parts: 100), fine != 0
        else {
            return percentage(hundredths)
        }
        return Styled(money.percentage(tenThousandths: fine), fine > 0 ? .up : .down)
    }

    /// The prices that were compared in a dispute: `: binance $27,550.00, coinbase $68,901.23`. If the reading does not
    /// list these prices or contains no quote, the message of the last failure of the kind `disputed` takes their
    /// place. Without either, the result is empty.
    func compared(in reading: Reading) -> String {
        guard let currency = reading.quote?.currency, !reading.prices.isEmpty else {
            return reading.failures.last { $0.kind == .disputed }.map { ": \(shown($0.message))" } ?? ""
        }
        let prices = reading.prices.map { "\(shown($0.source)) \(money.text($0.price, currency))" }
        return ": " + prices.joined(separator: ", ")
    }

    /// How far the compared prices are from the price that is shown: `4 of 4 within 0.05%: coinbase $68,901.23, …`. The
    /// first number counts the compared prices within this distance, but is at least 1. The second number counts all
    /// compared prices, including disputed prices, and the failures in `reasons` that are not disputes. Nil if fewer
    /// than two prices were compared, or if the price is disputed or not new.
    func agreement(of reading: Reading) -> String? {
        guard reading.isFresh, !reading.isDisputed, let quote = reading.quote, reading.prices.count > 1 else {
            return nil
        }
        let own = quote.price.units
        var kept = reading.prices.map { (source: $0.source, distance: abs($0.price.units - own)) }
        for failure in reading.failures where failure.kind == .disputed {
            // If several prices have the same source name, the farthest of them is assumed to have lost a vote.
            // Removing the price that is shown would not change the largest distance.
            let places = kept.indices.filter { kept[$0].source == failure.source }
            let farthest = places.max { kept[$0].distance < kept[$1].distance }
            if let farthest { kept.remove(at: farthest) }
        }
        let reach = kept.map(\.distance).max() ?? 0
        let agreeing = reading.prices.count { abs($0.price.units - own) <= reach }
        // Rounded up to a hundredth of a percent.
        let hundredths = Int(clamping: (reach * 10_000 + own - 1) / own)
        let all = reading.prices.count + reading.reasons.count { $0.kind != .disputed }
        let percentage = money.percentage(hundredths: hundredths).drop { $0 == "+" }
        let prices = reading.prices.map { other in
            let distance = Price.hundredths(from: quote.price, to: other.price) ?? 0
            let words = distance == 0 ? "" : " (\(money.percentage(hundredths: distance)))"
            return "\(shown(other.source)) \(money.text(other.price, quote.currency))\(words)"
        }
        return "\(max(1, agreeing)) of \(all) within \(percentage): \(prices.joined(separator: ", "))"
    }

    /// The source, its name for the market and, if a USDT market is used for a pair in USD, the assumed rate:
    /// `binance: BTCUSDT, 1 USDT = $1.00`. Nil if the source's name for the market is not known or matches the symbol.
    func market(of reading: Reading) -> String? {
        guard let quote = reading.quote, let market = quote.market?.text else { return nil }
        let symbol = reading.pricedSymbol.text
        let names = [market, symbol].map { $0.filter { $0.isLetter || $0.isNumber }.uppercased() }
        if names[0] == names[1] { return nil }
        let isTether = quote.currency == .usDollar && names[0].hasSuffix("USDT") && symbol.hasSuffix("-USD")
        let rate = isTether ? ", 1 USDT = \(money.text(Price("1")!, .usDollar))" : ""
        return "\(shown(reading.source ?? "")): \(market)\(rate)"
    }

    /// The report of a dispute: `Sources disagree: …`. It also names the symbol unless the symbol is `BTC-USD`. Nil if
    /// the price is not disputed.
    func dispute(of reading: Reading) -> String? {
        guard reading.isDisputed else { return nil }
        let symbol = reading.pricedSymbol
        let name = symbol == .bitcoin ? "" : " on \(symbol.text)"
        return "Sources disagree\(name)\(compared(in: reading))"
    }
}

extension Reading {
    /// Whether a source has failed with a network error.
    var isOffline: Bool { failures.contains { $0.kind == .network } }

    /// The failures worth showing. Failures of the kind `expired` are included only if there is no new quote and no
    /// other failure.
    var reasons: [Failure] {
        let others = failures.filter { $0.kind != .expired }
        return others.isEmpty && !isFresh ? failures : others
    }
}
