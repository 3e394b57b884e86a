import TestSupport
import Testing

extension Terminal {
    /// Types keys and expects the text to appear in the output that follows.
    func type(_ keys: String, expecting text: String) {
        let mark = mark
        type(keys)
        #expect(waitFor(text, after: mark), "\(keys.debugDescription)")
    }

    /// Expects that the terminal's modes are restored, so that keys such as Ctrl-C send signals, lines can be edited
    /// and typed text is echoed. Runs `stty` in the terminal's shell.
    func expectEcho() {
        type(
            "stty -a | tr ' ;' '\\n\\n' | grep -xE -e '-?(echo|icanon|isig)' | xargs echo modes:\r",
            expecting: "modes: isig icanon echo")
    }
}
