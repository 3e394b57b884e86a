import PipeCommon

/// Finding a symbol by a part of its symbol or of its name. Pure.
extension Board {
    private static let longest = 32

    mutating func beginFind() {
        (choice.find, choice.selectedBeforeFind) = ("", choice.selected)
    }

    mutating func pressWhileFinding(_ key: Key) {
        var text = choice.find ?? ""
        switch key {
        case .enter:
            if choice.isFindNew { arrange() }
            choice.find = nil
            return
        case .escape: return cancelFind()
        case .backspace:
            if text.isEmpty { return cancelFind() }
            text.removeLast()
        case .byte(let byte) where (0x20...0x7E).contains(byte) && text.count < Self.longest:
            text.append(Character(Unicode.Scalar(byte)))
        default: return
        }
        (choice.find, choice.isFindNew) = (text, true)
    }

    /// Selects what has been found, after the rows were sorted.
    mutating func finishFind() {
        guard choice.isFindNew, let text = choice.find else { return }
        choice.isFindNew = false
        if let symbol = text.isEmpty ? choice.selectedBeforeFind : found(text) {
            select(symbol)
        } else if !text.isEmpty {
            choice.notice = "no match"
        }
    }

    private mutating func cancelFind() {
        choice.find = nil
        if let symbol = choice.selectedBeforeFind { select(symbol) } else { choice.selected = nil }
    }

    /// A symbol that begins with the text, or else one that has it, or else one whose name has it.
    private func found(_ text: String) -> Symbol? {
        let text = text.lowercased()
        let symbols = list.map { rows[$0].symbol }
        return symbols.first { $0.text.lowercased().hasPrefix(text) }
            ?? symbols.first { $0.text.lowercased().has(text) }
            ?? symbols.first { names[$0]?.name.lowercased().has(text) ?? false }
    }
}

extension String {
    /// Whether a part of the text is equal to another one.
    fileprivate func has(_ part: String) -> Bool {
        indices.contains { self[$0...].hasPrefix(part) }
    }
}
