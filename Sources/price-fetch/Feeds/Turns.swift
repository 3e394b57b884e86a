import PipeCommon

/// The questions that are waiting for an HTTP request to start, in the order of their turns. The longer ago a subject
/// had its last turn, the earlier its questions are placed, so that no subject waits forever. A question's place is
/// determined when the question is added. Pure.
struct Turns {
    private struct Place {
        let turn: Int
        let id: Int

        func precedes(_ other: Place) -> Bool { (turn, id) < (other.turn, other.id) }
    }

    /// The maximum number of subjects whose last turn is remembered.
    private static let most = 20_000

    /// For each subject, the number of the request that was last recorded as the subject's turn.
    private var lastTurn: [Subject: Int] = [:]
    private var places: [Place] = []
    private var turns: [Int: Int] = [:]
    private var waiting: [Subject: [Int]] = [:]

    var isEmpty: Bool { places.isEmpty }

    var ids: [Int] { places.map(\.id) }

    /// The ID of the question whose turn it is; nil if no question is waiting.
    var first: Int? { places.first?.id }

    /// The IDs of the waiting questions about a subject.
    func ids(of subject: Subject) -> [Int] {
        waiting[subject] ?? []
    }

    mutating func add(_ id: Int, of subject: Subject) {
        let place = Place(turn: lastTurn[subject] ?? 0, id: id)
        places.insert(place, at: index(of: place))
        turns[id] = place.turn
        waiting[subject, default: []].append(id)
    }

    mutating func remove(_ ids: [Int], of subject: Subject) {
        let removed = ids.compactMap { id in turns.removeValue(forKey: id).map { Place(turn: $0, id: id) } }
        if removed.count == 1 {
            places.remove(at: index(of: removed[0]))
        } else if !removed.isEmpty {
            places.removeAll { turns[$0.id] == nil }
        }
        let rest = self.ids(of: subject).filter { turns[$0] != nil }
        waiting[subject] = rest.isEmpty ? nil : rest
    }

    /// Records the number of the request in which a subject had its turn.
    mutating func take(_ number: Int, for subject: Subject) {
        if lastTurn.count >= Self.most { lastTurn = [:] }
        lastTurn[subject] = number
    }

    /// The index of the first element of `places` that does not precede the given place; `places.count` if all elements
    /// precede it.
    private func index(of place: Place) -> Int {
        var (low, high) = (0, places.count)
        while low < high {
            let middle = (low + high) / 2
            if places[middle].precedes(place) { low = middle + 1 } else { high = middle }
        }
        return low
    }
}
