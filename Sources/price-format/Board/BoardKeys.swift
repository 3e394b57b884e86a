import PipeCommon

/// Handles the keys of a board.
extension Board {
    /// An action that the caller of `press` must take.
    enum Request {
        case quit, redraw
        /// Stop the clock, or start it again.
        case toggleClock
    }

    /// - Parameter page: by how many symbols, at least 1, the selection moves when the user pages up or down.
    mutating func press(_ key: Key, page: Int) -> Request? {
        choice.notice = nil
        if key == .redraw { return .redraw }
        if let text = choice.find {
            pressWhileFinding(key, text)
            return nil
        }
        switch key {
        case .letter("q"): return .quit
        case .letter("?"): choice.isHelpShown.toggle()
        case _ where choice.isHelpShown: choice.isHelpShown = false
        case .space, .letter("p"): return .toggleClock
        case .escape: goBack()
        case .enter where choice.page == .details, .backspace where choice.page == .details: goBack()
        case .enter: openDetails()
        case .letter("/"): (choice.find, choice.selectedBeforeFind) = ("", choice.selected)
        case .letter("s"): sort(by: choice.order.next, isReversed: choice.isReversed)
        case .letter("r"): sort(by: choice.order, isReversed: !choice.isReversed)
        case .left where choice.page == .details: choice.range = choice.range.neighbor(isLonger: false)
        case .right where choice.page == .details: choice.range = choice.range.neighbor(isLonger: true)
        case .letter("c") where choice.page == .details: choice.isLine.toggle()
        default: move(key, page)
        }
        return nil
    }

    private mutating func goBack() {
        if choice.page == .list {
            if choice.filter == nil { choice.selected = nil }
            (choice.filter, choice.place, isArranged) = (nil, nil, false)
        }
        choice.page = .list
    }

    private mutating func openDetails() {
        if choice.selected == nil { move(by: -rows.count) }
        if choice.selected != nil { choice.page = .details }
    }

    private mutating func sort(by order: BoardOrder, isReversed: Bool) {
        (choice.order, choice.isReversed, choice.place, isArranged) = (order, isReversed, nil, false)
    }

    /// Selects a symbol. The sort order then determines the position of its row.
    fileprivate mutating func select(_ symbol: Symbol) {
        (choice.selected, choice.place) = (symbol, nil)
    }

    private mutating func move(_ key: Key, _ page: Int) {
        switch key {
        case .up, .letter("k"): move(by: -1)
        case .down, .letter("j"): move(by: 1)
        case .pageUp: move(by: -page)
        case .pageDown: move(by: page)
        case .home, .letter("g"): move(by: -rows.count)
        case .end, .letter("G"): move(by: rows.count)
        default: break
        }
    }

    private mutating func move(by distance: Int) {
        if !isArranged { arrange() }
        guard !list.isEmpty else { return }
        let start = choice.selected == nil ? -1 : min(choice.place ?? -1, list.count - 1)
        let place = max(0, min(list.count - 1, start + distance))
        (choice.place, choice.selected) = (place, rows[list[place]].symbol)
    }
}

/// Searches the rows for a symbol or name that contains the typed text.
extension Board {
    fileprivate mutating func pressWhileFinding(_ key: Key, _ former: String) {
        var text = former
        switch key {
        case .enter:
            if !isArranged { arrange() }
            (choice.filter, choice.find) = (text.isEmpty || found(text) == nil ? nil : text, nil)
            (choice.place, isArranged) = (nil, false)
            return
        case .escape: return cancelFind()
        case .backspace:
            if text.isEmpty { return cancelFind() }
            text.removeLast()
        case .byte(let byte) where (0x20...0x7E).contains(byte) && text.count < 32:
            text.append(Character(Unicode.Scalar(byte)))
        default: return
        }
        (choice.find, choice.isFindNew, isArranged) = (text, true, false)
    }

    /// If the search text has changed, selects the symbol that the search finds, or reports that there is no match. If
    /// the text is now empty, restores the selection from before the search. Called after the rows have been sorted.
    mutating func finishFind() {
        guard choice.isFindNew, let text = choice.find else { return }
        choice.isFindNew = false
        if text.isEmpty {
            restoreSelection()
        } else if let symbol = found(text) {
            select(symbol)
        } else {
            choice.notice = "no match"
        }
    }

    private mutating func cancelFind() {
        (choice.find, choice.isFindNew, choice.filter, isArranged) = (nil, false, nil, false)
        restoreSelection()
    }

    /// Restores the selection from before the search. If no symbol was selected then, no symbol remains selected on the
    /// list page; the details page keeps its symbol.
    private mutating func restoreSelection() {
        if let symbol = choice.selectedBeforeFind {
            select(symbol)
        } else if choice.page == .list {
            (choice.selected, choice.place) = (nil, nil)
        }
    }

    /// The first listed symbol that begins with the text; otherwise, the first symbol that contains the text;
    /// otherwise, the first symbol whose name contains the text. Nil if nothing matches.
    private func found(_ text: String) -> Symbol? {
        let text = text.lowercased()
        let symbols = list.map { rows[$0].symbol }
        return symbols.first { $0.text.lowercased().hasPrefix(text) }
            ?? symbols.first { $0.text.lowercased().has(text) }
            ?? symbols.first { isFound($0, text) }
    }

    /// Whether the symbol or its name contains the given text, ignoring case.
    func isFound(_ symbol: Symbol, _ text: String) -> Bool {
        let text = text.lowercased()
        return symbol.text.lowercased().has(text) || names[symbol]?.name.lowercased().has(text) ?? false
    }
}

extension String {
    /// Whether the string contains the given part. Swift's own function for this is in the library for regular
    /// expressions, which the programs do not use.
    fileprivate func has(_ part: String) -> Bool {
        indices.contains { self[$0...].hasPrefix(part) }
    }
}
