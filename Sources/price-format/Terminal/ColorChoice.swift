/// The value of `--color`.
enum ColorChoice: String, CaseIterable {
    case auto, always, never

    func usesColor(on terminal: TerminalTraits) -> Bool {
        switch self {
        case .auto: terminal.canDraw && !terminal.noColor
        case .always: true
        case .never: false
        }
    }
}
