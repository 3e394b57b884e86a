import TestSupport
import Testing

extension Terminal {
    /// Types keys and expects the text to appear in the output that follows.
    func type(_ keys: String, expecting text: String) {
        let mark = mark
        type(keys)
        #expect(waitFor(text, after: mark), "\(keys.debugDescription)")
    }

    /// Expects that the terminal's modes are restored, so that it sends signals, edits lines and echoes
    /// typed text.
    func expectEcho() {
        type(
            "stty -a | tr ' ;' '\\n\\n' | grep -xE -e '-?(echo|icanon|isig)' | xargs echo modes:\r",
            expecting: "modes: isig icanon echo")
    }
}
