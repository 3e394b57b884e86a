import CCurl
import PipeCommon

/// A libcurl multi handle that runs its transfers (but not always the name look-ups) on the caller's thread and
/// provides the sockets and the deadline for the caller's poll loop.
@safe final class CurlMulti {
    private let multi: OpaquePointer
    private var transfers: [OpaquePointer: CurlEasy] = unsafe [:]
    /// The open connections of the transfers for which `keepAccount` was called.
    var connections = Connections()
    private var events: [Int32: Int32] = [:]
    private var timer: Deadline?
    /// Receives the numbers that libcurl reports and that are not needed here.
    private var ignored: Int32 = 0

    /// - Parameter mostIdle: the maximum number of idle connections to keep.
    init(mostIdle: Int) {
        // This setting lets glibc try the next name server after one second without an answer; the default is five
        // seconds. If the user has set the variable, the user's value is kept.
        setEnvironmentVariable("RES_OPTIONS", ifMissing: "timeout:1 attempts:2")
        curl_global_init(Int(CURL_GLOBAL_ALL))
        unsafe multi = curl_multi_init()!
        // By default, libcurl keeps at most four connections per running transfer, so it would close most connections
        // after a large burst.
        _ = unsafe ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, mostIdle)
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        _ = unsafe ccurl_on_interest(
            multi,
            { _, socket, events, this, _ in
                unsafe CurlMulti.at(this).watch(socket, events)
                return 0
            }, this)
        _ = unsafe ccurl_on_timer(
            multi,
            { _, milliseconds, this in
                unsafe CurlMulti.at(this).timer =
                    milliseconds < 0 ? nil : Deadline(in: .milliseconds(milliseconds))
                return 0
            }, this)
    }

    deinit {
        for easy in unsafe Array(transfers.values) { remove(easy) }
        unsafe curl_multi_cleanup(multi)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlMulti {
        unsafe Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    /// Records in `connections` which connections a transfer opens and closes.
    func keepAccount(of easy: CurlEasy) {
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_on_opened(easy.handle) { multi, socket, _ in
            unsafe CurlMulti.at(multi).connections.opened(socket)
            return 0
        }
        unsafe ccurl_set_pointer(easy.handle, CURLOPT_SOCKOPTDATA, this)
        unsafe ccurl_on_closing(easy.handle) { multi, socket in
            unsafe CurlMulti.at(multi).connections.closed(socket)
            return close(socket)
        }
        unsafe ccurl_set_pointer(easy.handle, CURLOPT_CLOSESOCKETDATA, this)
    }

    func add(_ easy: CurlEasy) {
        unsafe transfers[easy.handle] = easy
        unsafe curl_multi_add_handle(multi, easy.handle)
    }

    func remove(_ easy: CurlEasy) {
        unsafe curl_multi_remove_handle(multi, easy.handle)
        unsafe transfers[easy.handle] = nil
    }

    var watched: [pollfd] {
        events.map { pollfd($0, $1) }
    }

    /// When `advance` must be called even if no socket is ready; nil if there is no such time. libcurl 7.88 sets no
    /// timer for trying the next address of the same family, so `advance` must be called at least every 50 ms while
    /// libcurl is connecting.
    func nextDeadline(isConnecting: Bool) -> Deadline? {
        guard isConnecting else { return timer }
        let look = Deadline(in: .milliseconds(50))
        return timer.map { min($0, look) } ?? look
    }

    /// Handles the descriptors that are ready, and the timer if it is due. Does not wait. If a transfer is connecting
    /// and the timer is not due, also lets libcurl check all its sockets.
    func advance(_ ready: [pollfd], at now: Deadline.Instant, isConnecting: Bool) {
        for socket in ready where socket.isReady {
            // With 0 in place of the events, libcurl checks by itself what the socket is ready for.
            unsafe curl_multi_socket_action(multi, socket.fd, 0, &ignored)
        }
        if let timer, timer.hasPassed(at: now) {
            self.timer = nil
            unsafe curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &ignored)
        } else if isConnecting {
            unsafe curl_multi_socket_all(multi, &ignored)
        }
    }

    /// The next transfer that has ended, with its result code from libcurl; nil if no other transfer has ended.
    func nextEnded() -> (easy: CurlEasy, code: Int32)? {
        while let message = unsafe curl_multi_info_read(multi, &ignored)?.pointee {
            guard unsafe message.msg == CURLMSG_DONE else { continue }
            if let easy = unsafe transfers[message.easy_handle] {
                return unsafe (easy, message.data.result)
            }
        }
        return nil
    }

    private func watch(_ socket: Int32, _ interest: Int32) {
        guard interest != CURL_POLL_REMOVE else {
            events[socket] = nil
            return
        }
        events[socket] =
            (interest & CURL_POLL_IN != 0 ? POLLIN : 0) | (interest & CURL_POLL_OUT != 0 ? POLLOUT : 0)
    }
}
