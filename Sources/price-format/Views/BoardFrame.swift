/// Which lines of a board there is room for: the fewer rows a screen has, the more of them are for symbols. Pure.
struct BoardFrame {
    let hasHeader: Bool
    let hasRules: Bool
    let hasTitles: Bool
    let hasKeys: Bool
    /// How many symbols can be listed.
    let listed: Int

    /// How many lines there are between the header and the keys.
    let body: Int

    init(rows: Int) {
        hasHeader = rows >= 2
        hasKeys = rows >= 4
        hasTitles = rows >= 6
        hasRules = rows >= 8
        body = rows - [hasHeader, hasKeys].count { $0 }
        listed = body - [hasTitles, hasRules, hasRules].count { $0 }
    }

    /// The first place that is shown of a list, so that a place is in the middle of what is shown.
    func start(of count: Int, showing place: Int) -> Int {
        max(0, min(place - listed / 2, count - listed))
    }
}
