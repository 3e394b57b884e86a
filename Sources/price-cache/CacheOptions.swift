import PipeCommon

struct CacheOptions: FilterOptions {
    static let manual = Manual(
        program: "price-cache",
        sentence: "stores the last quote, or stands it in and sets the error flag",
        synopsis: ["[--file FILE] [--max-age DURATION]"],
        options: [
            .init("--file", value: "FILE", help: "keep the quote in FILE, not in the user's cache directory"),
            .init(
                "--max-age", value: "DURATION", help: "a stored quote that old or older is no quote (7d, 90s)"
            ),
        ],
        notes: """
            Reads readings and writes each with its error flag: false with a new quote, which is then stored,
            true without one, with the last known quote of its symbol in its place.

            Quotes are kept in ${XDG_CACHE_HOME:-~/.cache}/btc-price/SYMBOL.json.
            """)

    let location: StoreLocation
    let ageLimit: AgeLimit

    init(_ arguments: Arguments) throws(UsageError) {
        try arguments.refuseOperands()
        let file = try arguments.value("--file", "a file's path") { $0.isEmpty ? nil : $0 }
        location = file.map(StoreLocation.file) ?? .cacheDirectory
        ageLimit = AgeLimit(try arguments.duration("--max-age"))
    }
}
