import CCurl
import PipeCommon

/// A connection that libcurl opens (name look-up, proxy, TCP, TLS, certificate check). After that, the connection
/// carries bytes that libcurl does not interpret.
final class CurlStream: ByteStream {
    /// `receive` returns as soon as it has read at least this many bytes, even if more bytes are available.
    private static let mostAtOnce = 256 * 1024
    /// If more bytes than this wait to be sent, the server counts as stuck.
    private static let mostUnsent = 1024 * 1024

    private let easy = CurlEasy()
    private let multi = CurlMulti(mostIdle: 1)
    private(set) var state = ByteStreamState.connecting
    private var socket: Int32 = -1
    private var chunk = [UInt8](repeating: 0, count: 16 * 1024)
    private var output: [UInt8] = []
    /// Whether more bytes may be readable immediately. Becomes true when the connection opens, because TLS may already
    /// hold decrypted bytes that `poll` does not report.
    private(set) var mayHoldMore = false

    init(_ address: WebAddress, connectWithin limit: Duration) {
        easy.set(CURLOPT_URL, address.text)
        easy.set(CURLOPT_CONNECT_ONLY, 1)
        // Otherwise an HTTP proxy would treat unencrypted bytes as requests to the proxy itself.
        easy.set(CURLOPT_HTTPPROXYTUNNEL, 1)
        // Otherwise a server might choose HTTP/2, over which our WebSocket handshake does not work.
        easy.set(CURLOPT_SSL_ENABLE_ALPN, 0)
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, limit.milliseconds)
        multi.add(easy)
        connect([], at: .now)
    }

    deinit {
        multi.remove(easy)
    }

    func send(_ bytes: [UInt8]) {
        output += bytes
        flush()
    }

    // MARK: The poll loop

    var watched: [pollfd] {
        switch state {
        case .connecting: multi.watched
        case .open:
            [pollfd(socket, output.isEmpty ? POLLIN : POLLIN | POLLOUT)]
        case .ended: []
        }
    }

    var nextDeadline: Deadline? {
        switch state {
        case .connecting: multi.nextDeadline(isConnecting: true)
        case .open: mayHoldMore ? Deadline(.now) : nil
        case .ended: nil
        }
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [UInt8] {
        if state == .connecting { connect(ready, at: now) }
        // Reads even if the socket was not reported as ready, because a tick must not be answered with a quote until
        // all messages that arrived before the tick have been read.
        let input = receive()
        flush()
        return input
    }

    private func connect(_ ready: [pollfd], at now: Deadline.Instant) {
        multi.advance(ready, at: now, isConnecting: true)
        guard let (_, code) = multi.nextEnded() else { return }
        guard code == CURLE_OK else { return end(code) }
        socket = easy.socket
        state = .open
        mayHoldMore = true
    }

    private func receive() -> [UInt8] {
        var input: [UInt8] = []
        mayHoldMore = false
        while state == .open, !mayHoldMore {
            let (code, count) = easy.receive(&chunk)
            switch code {
            case CURLE_OK where count > 0: input += chunk[..<count]
            case CURLE_OK: state = .ended("the server closed the connection")
            case CURLE_AGAIN: return input
            default: end(code)
            }
            mayHoldMore = input.count >= Self.mostAtOnce
        }
        return input
    }

    private func flush() {
        while state == .open, !output.isEmpty {
            let (code, count) = easy.send(output)
            switch code {
            case CURLE_OK: output.removeFirst(count)
            case CURLE_AGAIN:
                if output.count > Self.mostUnsent { state = .ended("the server is not reading data") }
                return
            default: end(code)
            }
        }
    }

    private func end(_ code: Int32) {
        state = .ended(easy.words(for: code))
    }
}
