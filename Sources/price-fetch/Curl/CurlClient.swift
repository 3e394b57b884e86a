import CCurl
import PipeCommon

/// An HTTP client that uses libcurl's multi interface, reuses connections, and runs on the caller's thread (except for
/// some name look-ups).
///
/// A request that is given up while it is still connecting (name look-up, TCP or TLS handshake) continues in the
/// background, so that a later request finds an open connection. If another request is already connecting in the
/// background, the request that is given up is canceled instead.
final class CurlClient: HTTPClient {
    /// The time limits for connecting. If the caller's time limit for the answer is longer, that limit is used instead.
    /// If a host has several addresses of the same family, libcurl 7.88 spends up to half of the limit on the first of
    /// them. With the short limit, libcurl soon tries the second address; the long limit is for slow networks. The
    /// limits alternate as long as attempts to connect in the background fail.
    private static let connectLimits = [Duration.seconds(3), .seconds(10)]

    /// The maximum number of idle connections that are kept.
    private static let mostIdle = 32

    private let multi = CurlMulti(mostIdle: mostIdle)
    private var transfers: [ObjectIdentifier: CurlTransfer] = [:]
    private var idleTransfers: [CurlTransfer] = []
    /// The request that continues to connect although it was given up.
    private var background: CurlTransfer?
    private var failedConnects = 0
    /// Requests that are no longer needed, because a background request has replaced them.
    private var superseded: [CurlTransfer] = []
    private var results: [HTTPResult] = []

    // MARK: Requests

    func get(_ request: HTTPRequest, id: Int, within timeout: Duration) {
        let transfer = idleTransfers.popLast() ?? makeTransfer()
        transfer.id = id
        let connectLimit = Self.connectLimits[failedConnects % Self.connectLimits.count]
        let limit = max(connectLimit, timeout)
        transfer.prepare(request, connectWithin: limit, limit + .seconds(10))
        start(transfer)
        // Handles the requests that have already ended, so that the next request may use their connections.
        drive([], at: .now)
    }

    func giveUp(_ id: Int) {
        guard let transfer = transfers.values.first(where: { $0.id == id }) else { return }
        transfer.id = nil
        if transfer.socket == nil, background == nil { background = transfer } else { drop(transfer) }
    }

    private func makeTransfer() -> CurlTransfer {
        let transfer = CurlTransfer { [unowned self] transfer, endpoints in mayRequest(transfer, endpoints) }
        multi.keepAccount(of: transfer.easy)
        return transfer
    }

    private func start(_ transfer: CurlTransfer) {
        transfers[ObjectIdentifier(transfer.easy)] = transfer
        multi.add(transfer.easy)
    }

    private func remove(_ transfer: CurlTransfer) {
        multi.remove(transfer.easy)
        transfers[ObjectIdentifier(transfer.easy)] = nil
    }

    /// Cancels a request. Also ends its connection, unless another request on the connection is still waiting for an
    /// answer.
    private func drop(_ transfer: CurlTransfer) {
        remove(transfer)
        if let socket = transfer.socket { multi.connections.gaveUp(socket) }
        idleTransfers.append(transfer)
    }

    // MARK: Connections

    private func mayRequest(_ transfer: CurlTransfer, _ endpoints: Endpoints) -> Bool {
        let socket = multi.connections.claim(
            endpoints, isEncrypted: transfer.request.url.isEncrypted,
            mayBeHTTP2: transfer.mayBeHTTP2, hasDecryptedBytes: transfer.hasDecryptedBytes)
        guard let socket else {
            transfer.wasRefused = true
            return false
        }
        transfer.socket = socket
        transfer.isReusing = multi.connections.hasAnswered(socket)
        if transfer === background {
            background = nil
            adopt(transfer)
        }
        return true
    }

    /// Lets the background request, which is now connected, replace the oldest identical request that is still
    /// connecting.
    private func adopt(_ transfer: CurlTransfer) {
        guard let first = oldestConnecting(where: { $0.request == transfer.request }) else { return }
        (transfer.id, first.id) = (first.id, nil)
        superseded.append(first)
    }

    /// Restarts the oldest wanted request that is still connecting and may use an existing connection, so that it can
    /// reuse the connection of the request that has just ended.
    private func restartConnecting() {
        guard let first = oldestConnecting(where: { !$0.isFresh }) else { return }
        remove(first)
        start(first)
    }

    /// The oldest request that is wanted, is still connecting and satisfies a condition.
    private func oldestConnecting(where condition: (CurlTransfer) -> Bool) -> CurlTransfer? {
        let connecting = transfers.values.filter { $0.id != nil && $0.socket == nil && condition($0) }
        return connecting.min { $0.id! < $1.id! }
    }

    // MARK: The poll loop

    var watched: [pollfd] { multi.watched }

    var nextDeadline: Deadline? { multi.nextDeadline(isConnecting: isConnecting) }

    func advance(_ ready: [pollfd], at now: Deadline.Instant) -> [HTTPResult] {
        drive(ready, at: now)
        defer { results = [] }
        return results
    }

    private func drive(_ ready: [pollfd], at now: Deadline.Instant) {
        multi.advance(ready, at: now, isConnecting: isConnecting)
        while let (easy, code) = multi.nextEnded() {
            if let transfer = transfers[ObjectIdentifier(easy)] { finish(transfer, code) }
        }
        for transfer in superseded where transfers[ObjectIdentifier(transfer.easy)] === transfer {
            drop(transfer)
        }
        superseded = []
    }

    private var isConnecting: Bool { transfers.values.contains { $0.socket == nil } }

    private func finish(_ transfer: CurlTransfer, _ code: Int32) {
        if let socket = transfer.socket {
            multi.connections.finished(socket, hasAnswer: code == CURLE_OK, isHTTP2: transfer.isHTTP2)
        }
        remove(transfer)
        if transfer.needsFreshConnection(after: code) {
            transfer.reset(isFresh: true)
            return start(transfer)
        }
        if code == CURLE_OK {
            failedConnects = 0
            if let socket = transfer.socket, multi.connections.isOpen(socket) { restartConnecting() }
        }
        if transfer === background {
            background = nil
            failedConnects += 1
        }
        if let id = transfer.id { results.append((id, transfer.result(code))) }
        idleTransfers.append(transfer)
    }
}
