/// The options of one program: its table, and the words on the command line as a checked value.
public protocol FilterOptions: Sendable {
    static var manual: Manual { get }
    init(_ arguments: Arguments) throws(UsageError)
}

/// The one door of all four programs: help, usage errors, the stream's end, the exit status.
public enum Filter {
    /// Runs a program to its end. Leaves with `_exit`: all output is written by then.
    public static func main<Options: FilterOptions>(
        _ run: (Options, Diagnostics) throws -> ExitStatus
    ) -> Never {
        let diagnostics = Diagnostics(program: Options.manual.program)
        secureStandardDescriptors()
        // A trap in a program of ours that we start is one line on the screen, not a page.
        setenv("SWIFT_BACKTRACE", "enable=no", 0)
        // Both are told by the write that meets them.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        do {
            _exit(try status(of: run, diagnostics).rawValue)
        } catch StreamError.readerGone {
            _exit(ExitStatus.readerGone.rawValue)
        } catch StreamError.inputFailed(let number) {
            diagnostics.error("cannot read standard input: \(systemMessage(number))")
            _exit(ExitStatus.streamFailed.rawValue)
        } catch StreamError.outputFailed(let number) {
            diagnostics.error("cannot write standard output: \(systemMessage(number))")
            _exit(ExitStatus.streamFailed.rawValue)
        } catch let error as SystemError {
            diagnostics.error("cannot start: \(systemMessage(error.number))")
            _exit(ExitStatus.streamFailed.rawValue)
        } catch {
            diagnostics.error("\(error)")
            _exit(ExitStatus.bug.rawValue)
        }
    }

    private static func status<Options: FilterOptions>(
        of run: (Options, Diagnostics) throws -> ExitStatus, _ diagnostics: Diagnostics
    ) throws -> ExitStatus {
        let manual = Options.manual
        do {
            let arguments = try Arguments(Array(CommandLine.arguments.dropFirst()), manual)
            if arguments.has("--help") {
                try LineWriter.standardOutput.write(manual.usage.utf8)
                return .done
            }
            if arguments.has("--version") {
                try LineWriter.standardOutput.write("\(manual.program) \(version)".utf8)
                return .done
            }
            return try run(Options(arguments), diagnostics)
        } catch let error as UsageError {
            diagnostics.error(error.message)
            diagnostics.hint("try '\(manual.program) --help'")
            return .usage
        }
    }

    /// A descriptor that was closed by the caller is taken by one that fails when it is used, so that no
    /// file or socket opened later is mistaken for a standard stream.
    private static func secureStandardDescriptors() {
        for (descriptor, uselessMode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR),
        ]
        where fcntl(descriptor, F_GETFD) == -1 {
            _ = open("/dev/null", uselessMode)
        }
    }
}
