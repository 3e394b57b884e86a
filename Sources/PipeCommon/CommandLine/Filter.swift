/// The entry point of the filters and of some tools: it handles help, usage errors, stream errors and the exit status.
public enum Filter {
    /// Runs a program and ends the process, with `_exit` or with the termination signal that arrived. Both skip all
    /// cleanup. No cleanup is needed, because output does not go through the C library's buffers.
    public static func main<Options: CommandOptions>(
        _ run: (Options, Diagnostics) throws -> ExitStatus
    ) -> Never {
        let diagnostics = Diagnostics(program: Options.command.name)
        secureStandardDescriptors()
        // Turns off the backtraces of crashes in Swift programs that we start, unless the user has set this variable.
        setEnvironmentVariable("SWIFT_BACKTRACE", ifMissing: "enable=no")
        // These signals are ignored, because a failed write reports the same condition.
        signal(SIGPIPE, SIG_IGN)
        signal(SIGXFSZ, SIG_IGN)
        // Removes the handler that Swift may have set for SIGQUIT. Otherwise, Swift might report a crash when the
        // user types Ctrl-\.
        handleSignal(SIGQUIT, by: nil)
        do {
            _exit(try status(of: run, diagnostics).rawValue)
        } catch let signal as TerminationSignal {
            signal.takeEffect()
        } catch StreamError.readerGone {
            _exit(ExitStatus.readerGone.rawValue)
        } catch StreamError.inputFailed(let number) {
            diagnostics.error("cannot read standard input: \(systemMessage(number))")
            _exit(ExitStatus.streamFailed.rawValue)
        } catch StreamError.outputFailed(let number) {
            diagnostics.error("cannot write to standard output: \(systemMessage(number))")
            _exit(ExitStatus.streamFailed.rawValue)
        } catch let error as SystemError {
            diagnostics.error("cannot start: \(systemMessage(error.number))")
            _exit(ExitStatus.streamFailed.rawValue)
        } catch {
            diagnostics.error("\(error)")
            _exit(ExitStatus.bug.rawValue)
        }
    }

    private static func status<Options: CommandOptions>(
        of run: (Options, Diagnostics) throws -> ExitStatus, _ diagnostics: Diagnostics
    ) throws -> ExitStatus {
        do {
            switch try Options.command.request(Array(CommandLine.arguments.dropFirst())) {
            case .run(let options): return try run(options, diagnostics)
            case .print(let text):
                try LineWriter.standardOutput.write(text.utf8)
                return .done
            }
        } catch let error as UsageError {
            diagnostics.error(error.message)
            diagnostics.hint("try '\(Options.command.name) --help'")
            return .usage
        }
    }

    /// Opens `/dev/null` for each standard stream that the caller has closed, so that no file or socket that is opened
    /// later takes the stream's descriptor. Reading from a closed standard input and writing to a closed standard
    /// output then fail, and diagnostics for a closed standard error are discarded.
    private static func secureStandardDescriptors() {
        for (descriptor, uselessMode) in [
            (STDIN_FILENO, O_WRONLY), (STDOUT_FILENO, O_RDONLY), (STDERR_FILENO, O_RDWR),
        ]
        where fcntl(descriptor, F_GETFD) == -1 {
            _ = openFile("/dev/null", uselessMode)
        }
    }
}
