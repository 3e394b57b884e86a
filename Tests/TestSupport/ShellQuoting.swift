extension String {
    /// As one word of a shell command, whatever characters it has.
    public var shellQuoted: String { "'\(replacing("'", with: #"'\''"#))'" }
}
