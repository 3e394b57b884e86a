import CCurl
import PipeCommon

/// HTTP by libcurl's multi interface: connections are kept, and everything happens on the caller's thread.
///
/// The end of a caller's patience does not end the work of connecting: one request that is still looking up a name,
/// connecting or shaking hands then goes on in the background, so that a later request finds an open connection.
final class CurlClient: HTTPClient {
    /// How long connecting in the background may take. Half of it goes to the first address, so the short limit finds a
    /// second address soon; the long one is for slow networks. They take turns while they fail.
    private static let connectLimits = [Duration.seconds(3), .seconds(10)]

    /// How many idle connections are kept.
    private static let mostIdle = 32

    private let multi: OpaquePointer
    private var events: [Int32: Int16] = [:]
    private var timer: Deadline?
    private var connections = Connections()
    private var transfers: [OpaquePointer: CurlTransfer] = [:]
    private var idleTransfers: [CurlTransfer] = []
    /// The request that goes on connecting although nobody waits for it.
    private var background: CurlTransfer?
    private var failedConnects = 0
    /// Requests that were waiting for a connection, and whose answer another one gets.
    private var superseded: [CurlTransfer] = []
    private var running: Int32 = 0
    private var results: [(id: Int, result: Result<HTTPResponse, HTTPFailure>)] = []

    init() {
        // A name server that is silent gets a second, not five, before the next one is asked.
        setenv("RES_OPTIONS", "timeout:1 attempts:2", 0)
        curl_global_init(Int(CURL_GLOBAL_ALL))
        multi = curl_multi_init()!
        // Without a limit libcurl keeps four for each request that is under way, so it closes most after a burst.
        _ = ccurl_multi_set_number(multi, CURLMOPT_MAXCONNECTS, Self.mostIdle)
        let this = Unmanaged.passUnretained(self).toOpaque()
        _ = ccurl_on_interest(
            multi,
            { _, socket, events, client, _ in
                CurlClient.at(client).watch(socket, events)
                return 0
            }, this)
        _ = ccurl_on_timer(
            multi,
            { _, milliseconds, client in
                CurlClient.at(client).timer =
                    milliseconds < 0 ? nil : Deadline(in: .milliseconds(milliseconds))
                return 0
            }, this)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlClient {
        Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    // MARK: Requests

    func get(_ request: HTTPRequest, id: Int, within timeout: Duration) {
        let transfer = idleTransfers.popLast() ?? makeTransfer()
        transfer.id = id
        let connectLimit = Self.connectLimits[failedConnects % Self.connectLimits.count]
        let limit = max(connectLimit, timeout)
        transfer.prepare(request, connectWithin: limit, limit + .seconds(10))
        start(transfer)
        advance([], at: .now)
    }

    func giveUp(_ id: Int) {
        guard let transfer = transfers.values.first(where: { $0.id == id }) else { return }
        transfer.id = nil
        if transfer.socket == nil, background == nil { background = transfer } else { drop(transfer) }
    }

    func takeResults() -> [(id: Int, result: Result<HTTPResponse, HTTPFailure>)] {
        defer { results = [] }
        return results
    }

    private func makeTransfer() -> CurlTransfer {
        let transfer = CurlTransfer { [unowned self] transfer, localPort in mayRequest(transfer, localPort) }
        let this = Unmanaged.passUnretained(self).toOpaque()
        ccurl_on_opened(transfer.easy) { client, socket, _ in
            CurlClient.at(client).connections.opened(socket)
            return 0
        }
        ccurl_set_pointer(transfer.easy, CURLOPT_SOCKOPTDATA, this)
        ccurl_on_closing(transfer.easy) { client, socket in
            CurlClient.at(client).connections.closed(socket)
            return close(socket)
        }
        ccurl_set_pointer(transfer.easy, CURLOPT_CLOSESOCKETDATA, this)
        return transfer
    }

    private func start(_ transfer: CurlTransfer) {
        transfers[transfer.easy] = transfer
        curl_multi_add_handle(multi, transfer.easy)
    }

    private func remove(_ transfer: CurlTransfer) {
        curl_multi_remove_handle(multi, transfer.easy)
        transfers[transfer.easy] = nil
    }

    /// Ends a request without an answer; its connection too, unless other requests share it.
    private func drop(_ transfer: CurlTransfer) {
        remove(transfer)
        if let socket = transfer.socket { connections.gaveUp(socket) }
        idleTransfers.append(transfer)
    }

    // MARK: Connections

    private func mayRequest(_ transfer: CurlTransfer, _ localPort: Int32) -> Bool {
        let socket = connections.claim(
            localPort: localPort, isEncrypted: transfer.request.url.isEncrypted,
            mayBeHTTP2: transfer.mayBeHTTP2, hasDecryptedBytes: transfer.hasDecryptedBytes)
        guard let socket else {
            transfer.wasRefused = true
            return false
        }
        transfer.socket = socket
        transfer.isReusing = connections.hasAnswered(socket)
        if transfer === background {
            background = nil
            adopt(transfer)
        }
        return true
    }

    /// A request for the same that is still connecting gets the answer of one that nobody waits for.
    private func adopt(_ transfer: CurlTransfer) {
        let waiting = transfers.values.filter { other in
            other.id != nil && other.socket == nil && other.request == transfer.request
        }
        guard let first = waiting.min(by: { $0.id! < $1.id! }) else { return }
        (transfer.id, first.id) = (first.id, nil)
        superseded.append(first)
    }

    /// Starts the request that has been connecting for longest once more: it now finds a connection that is open.
    private func restartConnecting() {
        let connecting = transfers.values.filter { $0.id != nil && $0.socket == nil && !$0.isFresh }
        guard let first = connecting.min(by: { $0.id! < $1.id! }) else { return }
        remove(first)
        start(first)
    }

    // MARK: The poll loop

    var watched: [pollfd] {
        events.map { pollfd(fd: $0, events: $1, revents: 0) }
    }

    /// libcurl 7.88 sets no timer when it goes on to the next address of a host, so it is called now and then while it
    /// connects.
    var nextDeadline: Deadline? {
        guard transfers.values.contains(where: { $0.socket == nil }) else { return timer }
        let look = Deadline(in: .milliseconds(50))
        return timer.map { min($0, look) } ?? look
    }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) {
        for descriptor in ready where descriptor.revents != 0 { act(on: descriptor) }
        if let timer, timer.hasPassed(at: now) {
            self.timer = nil
            curl_multi_socket_action(multi, CURL_SOCKET_TIMEOUT, 0, &running)
        } else if ready.allSatisfy({ $0.revents == 0 }),
            transfers.values.contains(where: { $0.socket == nil })
        {
            curl_multi_socket_all(multi, &running)
        }
        var left: Int32 = 0
        while let message = curl_multi_info_read(multi, &left)?.pointee {
            guard message.msg == CURLMSG_DONE, let transfer = transfers[message.easy_handle] else { continue }
            finish(transfer, message.data.result)
        }
        for transfer in superseded where transfers[transfer.easy] === transfer { drop(transfer) }
        superseded = []
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

    private func finish(_ transfer: CurlTransfer, _ code: Int32) {
        if let socket = transfer.socket {
            connections.finished(socket, hasAnswer: code == CURLE_OK, isHTTP2: transfer.isHTTP2)
        }
        remove(transfer)
        if transfer.needsFreshConnection(after: code) {
            transfer.reset(isFresh: true)
            return start(transfer)
        }
        if code == CURLE_OK {
            failedConnects = 0
            if let socket = transfer.socket, connections.isOpen(socket) { restartConnecting() }
        }
        if transfer === background {
            background = nil
            failedConnects += 1
        }
        if let id = transfer.id { results.append((id, transfer.result(code))) }
        idleTransfers.append(transfer)
    }
}
