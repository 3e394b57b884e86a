import Foundation
import PipeCommon

#if canImport(Darwin)
    import Darwin
    private let openTerminal = posix_openpt
#else
    import Glibc

    // These functions are in the C library but not in its Swift module.
    @_silgen_name("posix_openpt") private func openTerminal(_ flags: Int32) -> Int32
    @_silgen_name("grantpt") private func grantpt(_ descriptor: Int32) -> Int32
    @_silgen_name("unlockpt") private func unlockpt(_ descriptor: Int32) -> Int32
    @_silgen_name("ptsname") private func ptsname(_ descriptor: Int32) -> UnsafePointer<CChar>
#endif

/// An interactive shell with job control on its own pseudo-terminal. A test uses the shell as a person would.
public final class Terminal {
    private let master: Int32
    private let shell: pid_t
    /// Everything that has been read from the terminal so far, with `\n` in place of `\r\n`.
    public private(set) var screen = ""
    private var unread: [UInt8] = []

    public init(environment: [String: String] = [:]) {
        let prompt = RunningProgram.environment(environment.merging(["PS1": "ready> "]) { $1 })
        (master, shell) = starting.withLock {
            let master = openTerminal(O_RDWR | O_NOCTTY)
            precondition(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0, "no pseudo-terminal")
            _ = fcntl(master, F_SETFD, FD_CLOEXEC)
            // ptsname returns the same buffer for all terminals.
            let name = String(cString: ptsname(master))
            let shell = ["/usr/bin/env", "bash", "--norc", "--noprofile", "-i"]
            return (master, spawn(shell, prompt, [], session: name))
        }
        _ = waitFor("ready> ")
    }

    deinit {
        close(master)
        kill(shell, SIGKILL)
        waitpid(shell, nil, 0)
    }

    /// Types keys, for example `"\u{3}"` for Ctrl-C, `"\u{1A}"` for Ctrl-Z and `"\r"` for Enter.
    public func type(_ keys: String) {
        _ = Array(keys.utf8).withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
    }

    /// Resizes the terminal. The system then sends SIGWINCH to the foreground program.
    public func resize(_ columns: Int, _ rows: Int) {
        var size = winsize(ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: 0, ws_ypixel: 0)
        _ = ioctl(master, UInt(TIOCSWINSZ), &size)
    }

    /// Waits until the text appears in the output after a given position, by default after everything read so far.
    ///
    /// - Returns: whether the text appears within the limit.
    public func waitFor(_ text: String, after place: Int? = nil, within limit: Duration = patience)
        -> Bool
    {
        let start = place ?? mark
        var searched = -1
        return waitUntil(within: limit) {
            // Output that has not grown is not searched again.
            guard screen.utf8.count != searched else { return false }
            searched = screen.utf8.count
            return screen.dropFirst(start).contains(text)
        }
    }

    /// Waits for a condition and reads the terminal's output in the meantime.
    public func waitUntil(within limit: Duration = patience, _ condition: () -> Bool) -> Bool {
        wait(within: limit, until: condition) { pump(for: .milliseconds(20)) }
    }

    /// The position after everything read so far, for `waitFor`.
    public var mark: Int { screen.count }

    /// Waits, without reading, until the terminal's buffer is full, that is, until the amount of unread output does not
    /// change for about 100 ms.
    ///
    /// - Returns: whether the buffer fills up within the limit.
    public func fills(within limit: Duration) -> Bool {
        var (former, count) = (-1, 0)
        return wait(
            within: limit, until: { count > 0 && count == former },
            {
                former = count
                usleep(100_000)
                count = unreadByteCount(of: master) ?? 0
            })
    }

    /// Reads the terminal's output until the limit is reached.
    public func pump(for limit: Duration) {
        let deadline = Deadline(in: limit)
        repeat {
            var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            guard poll(&polled, 1, Int32(deadline.remaining().milliseconds)) > 0 else { return }
            guard let bytes = try? readAvailable(master), !bytes.isEmpty else { return }
            append(bytes)
        } while !deadline.hasPassed()
    }

    /// Appends the bytes of a read, which may end within a character or within a line ending. The bytes of an
    /// incomplete character are kept until the next read.
    private func append(_ bytes: [UInt8]) {
        unread += bytes
        let start = unread.lastIndex { $0 & 0xC0 != 0x80 } ?? 0
        let length = unread[start] < 0x80 ? 1 : (~unread[start]).leadingZeroBitCount
        let count = unread.count - start < length ? start : unread.count
        if screen.last == "\r", unread.first == UInt8(ascii: "\n") { screen.removeLast() }
        screen += String(decoding: unread.prefix(count), as: UTF8.self)
            .replacingOccurrences(of: "\r\n", with: "\n")
        unread.removeFirst(count)
    }
}
