/// Sources written as shell commands, which tests use in place of `price-fetch`.
public enum ShellSource {
    /// Answers each tick immediately with the given price.
    public static func quoting(_ price: String, as name: String = "shell") -> String {
        """
        while read -r tick; do printf '%s,"source":"\(name)","quote":{"value":"\(price)","currency":"USD",\
        "timestamp":"2026-11-21T14:03:07.412Z"}}\\n' "${tick%?}"; done
        """
    }

    /// Answers each tick immediately with a failure.
    public static let failing = """
        while read -r tick; do printf '%s,"failures":[{"source":"shell","kind":"network","message":"refused"}]}\\n' \
        "${tick%?}"; done
        """

    /// Reads all ticks and never answers.
    public static let silent = "while read -r tick; do :; done"
}

extension String {
    /// The string quoted as one word of a shell command, whatever characters it contains.
    public var shellQuoted: String { "'\(replacing("'", with: #"'\''"#))'" }
}
