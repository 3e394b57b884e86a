import CCurl
import PipeCommon

/// A multi handle of libcurl: runs its transfers on the caller's thread, and tells the caller's poll loop which sockets
/// and which time they wait for.
final class CurlMulti {
    private let multi: OpaquePointer
    private var events: [Int32: Int16] = [:]
    private var timer: Deadline?
    private var running: Int32 = 0

    /// - Parameter mostIdle: how many idle connections are kept.
    init(mostIdle: Int) {
        // A name server that is silent gets a second, not five, before the next one is asked.
        setenv("RES_OPTIONS", "timeout:1 attempts:2", 0)
        curl_global_init(Int(CURL_GLOBAL_ALL))
        multi = curl_multi_init()!
        // Without a limit libcurl keeps four for each request that is under way, so it closes most after a burst.
        _ = ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, mostIdle)
        let this = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_on_interest(
            multi,
            { _, socket, events, this, _ in
                CurlMulti.at(this).watch(socket, events)
                return 0
            }, this)
        _ = ccurl_on_timer(
            multi,
            { _, milliseconds, this in
                CurlMulti.at(this).timer =
                    milliseconds < 0 ? nil : Deadline(in: .milliseconds(milliseconds))
                return 0
            }, this)
    }

    /// Its transfers must have been removed.
    deinit {
        curl_multi_cleanup(multi)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlMulti {
        Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    func add(_ easy: OpaquePointer) {
        curl_multi_add_handle(multi, easy)
    }

    func remove(_ easy: OpaquePointer) {
        curl_multi_remove_handle(multi, easy)
    }

    var watched: [pollfd] {
        events.map { pollfd(fd: $0, events: $1, revents: 0) }
    }

    /// When `advance` has work to do although no socket is ready. libcurl 7.88 sets no timer when it goes on to the next
    /// address of a host, so it is called now and then while it connects.
    func nextDeadline(isConnecting: Bool) -> Deadline? {
        guard isConnecting else { return timer }
        let look = Deadline(in: .milliseconds(50))
        return timer.map { min($0, look) } ?? look
    }

    /// Does what can be done without waiting.
    func advance(_ ready: [pollfd], at now: Deadline.Instant, isConnecting: Bool) {
        for descriptor in ready where descriptor.revents != 0 { act(on: descriptor) }
        if let timer, timer.hasPassed(at: now) {
            self.timer = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        } else if isConnecting, ready.allSatisfy({ $0.revents == 0 }) {
            curl_multi_socket_all(multi, &running)
        }
    }

    /// The next transfer that has ended, with libcurl's code.
    func nextEnded() -> (easy: OpaquePointer, code: Int32)? {
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left)?.pointee {
            if message.msg == CURLMSG_DONE { return (message.easy_handle, message.data.result) }
        }
        return nil
    }

    private func act(on descriptor: pollfd) {
        var mask: Int32 = 0
        if descriptor.revents & Int16(POLLIN | POLLHUP) != 0 { mask |= CURL_CSELECT_IN }
        if descriptor.revents & Int16(POLLOUT) != 0 { mask |= CURL_CSELECT_OUT }
        if descriptor.revents & Int16(POLLERR) != 0 { mask |= CURL_CSELECT_ERR }
        curl_multi_socket_action(multi, descriptor.fd, mask, &running)
    }

    private func watch(_ socket: Int32, _ interest: Int32) {
        guard interest != CURL_POLL_REMOVE else {
            events[socket] = nil
            return
        }
        events[socket] =
            (interest & CURL_POLL_IN != 0 ? Int16(POLLIN) : 0)
            | (interest & CURL_POLL_OUT != 0 ? Int16(POLLOUT) : 0)
    }
}

/// A handle of libcurl with the settings that all our connections share: where they may go, and whom they trust.
///
/// - Parameter errorText: room for `CURL_ERROR_SIZE` bytes, where libcurl says in words what went wrong.
func makeEasyHandle(_ errorText: UnsafeMutablePointer<CChar>) -> OpaquePointer {
    let easy = curl_easy_init()!
    ccurl_set_number(easy, CURLOPT_NOSIGNAL, 1)
    // A look-up that is given up goes on alone. libcurl before 7.87 waits for it, a second at most.
    ccurl_set_number(easy, CURLOPT_QUICK_EXIT, 1)
    if ccurl_set_text(easy, CURLOPT_PROTOCOLS_STR, "http,https") != CURLE_OK {
        ccurl_set_number(easy, CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
    }
    ccurl_set_pointer(easy, CURLOPT_ERRORBUFFER, errorText)
    for (variable, option) in [
        ("SSL_CERT_FILE", CURLOPT_CAINFO), ("CURL_CA_BUNDLE", CURLOPT_CAINFO),
        ("SSL_CERT_DIR", CURLOPT_CAPATH),
    ] {
        if let path = getenv(variable), path.pointee != 0 { ccurl_set_text(easy, option, path) }
    }
    return easy
}
