/// Locales in which numbers have a decimal comma, and, in Turkish, "i" is not the small letter of "I".
public enum ForeignLocale {
    public static let names = ["de_DE.UTF-8", "tr_TR.UTF-8"]

    /// Whether the C library has them: a name that it does not know is as good as none, so a test would see nothing.
    public static let areInstalled = names.allSatisfy { name in
        RunningProgram.run("bash", ["-c", "printf %.1f 1"], environment: ["LC_ALL": name]).output == "1,0"
    }
}
