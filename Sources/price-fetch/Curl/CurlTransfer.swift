import CCurl
import PipeCommon

/// One request of libcurl, an "easy handle", used again and again: collects the answer, within limits.
final class CurlTransfer {
    let easy: OpaquePointer
    /// Who waits for the answer; nil when nobody does any more.
    var id: Int?
    private(set) var request = HTTPRequest(url: "http://localhost")
    /// The connection, since the request is about to be sent on it.
    var socket: Int32?
    /// Whether that connection has carried an answer before.
    var isReusing = false
    /// Whether the connection that libcurl had chosen must not carry a request.
    var wasRefused = false
    /// Whether TLS holds decrypted bytes of the chosen connection that no answer has taken.
    private(set) var hasDecryptedBytes = false
    /// Whether HTTP/2 was agreed on for it, or may have been with a TLS library other than OpenSSL.
    private(set) var mayBeHTTP2 = false
    private(set) var isFresh = false
    private var head = ResponseHead()
    private var body: [UInt8] = []
    private var isTooLarge = false
    private var headers: OpaquePointer?
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private let mayRequest: (CurlTransfer, Endpoints) -> Bool

    /// - Parameter mayRequest: called when libcurl has chosen a connection and is about to send the request on it.
    init(mayRequest: @escaping (CurlTransfer, Endpoints) -> Bool) {
        self.mayRequest = mayRequest
        easy = makeEasyHandle(errorText)
        let this = Unmanaged.passUnretained(self).toOpaque()
        ccurl_set_number(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        ccurl_set_text(easy, CURLOPT_USERAGENT, "btc-price/\(version)")
        ccurl_on_data(easy, CURLOPT_HEADERFUNCTION) { bytes, size, count, transfer in
            CurlTransfer.at(transfer).receiveHead(UnsafeBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_pointer(easy, CURLOPT_HEADERDATA, this)
        ccurl_on_data(easy, CURLOPT_WRITEFUNCTION) { bytes, size, count, transfer in
            CurlTransfer.at(transfer).receiveBody(UnsafeBufferPointer(start: bytes, count: size * count))
        }
        ccurl_set_pointer(easy, CURLOPT_WRITEDATA, this)
        ccurl_before_request(easy) { transfer, peer, local, peerPort, localPort in
            let transfer = CurlTransfer.at(transfer)
            let session = OpenSSLSession(transfer.easy)
            transfer.hasDecryptedBytes = session?.hasDecryptedBytes ?? false
            transfer.mayBeHTTP2 = session?.isHTTP2 ?? transfer.request.url.isEncrypted
            let endpoints = Endpoints(
                local: .init(local, localPort), peer: .init(peer, peerPort))
            return transfer.mayRequest(transfer, endpoints) ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        ccurl_set_pointer(easy, CURLOPT_PREREQDATA, this)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlTransfer {
        Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    func prepare(_ request: HTTPRequest, connectWithin connectLimit: Duration, _ limit: Duration) {
        if request != self.request || headers == nil { use(request) }
        ccurl_set_number(easy, CURLOPT_CONNECTTIMEOUT_MS, connectLimit.milliseconds)
        ccurl_set_number(easy, CURLOPT_TIMEOUT_MS, limit.milliseconds)
        reset(isFresh: false)
    }

    private func use(_ request: HTTPRequest) {
        self.request = request
        ccurl_set_text(easy, CURLOPT_URL, request.url.text)
        curl_slist_free_all(headers)
        headers = curl_slist_append(nil, "Accept: application/json")
        headers = curl_slist_append(headers, "Cache-Control: no-cache")
        for (name, value) in request.headers { headers = curl_slist_append(headers, "\(name): \(value)") }
        ccurl_set_pointer(easy, CURLOPT_HTTPHEADER, UnsafeRawPointer(headers))
    }

    /// - Parameter isFresh: whether it must go over a connection of its own.
    func reset(isFresh: Bool) {
        self.isFresh = isFresh
        ccurl_set_number(easy, CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        head = ResponseHead()
        body.removeAll(keepingCapacity: true)
        (socket, isReusing, wasRefused, isTooLarge) = (nil, false, false, false)
        errorText.pointee = 0
    }

    /// Whether a kept connection was at fault, and not the server. libcurl itself tries again when one turns out to be
    /// closed, but counts that over all requests of a handle: every sixth one would fail.
    func needsFreshConnection(after code: Int32) -> Bool {
        guard !isFresh, code != CURLE_OK, code != CURLE_OPERATION_TIMEDOUT else { return false }
        return wasRefused || isReusing && head.size == 0
    }

    private func receiveHead(_ line: UnsafeBufferPointer<CChar>) -> Int {
        head.receive(UnsafeRawBufferPointer(line).bindMemory(to: UInt8.self))
        isTooLarge = head.size > HTTPResponse.largestHead || head.length ?? 0 > request.largestBody
        return isTooLarge ? 0 : line.count
    }

    private func receiveBody(_ piece: UnsafeBufferPointer<CChar>) -> Int {
        isTooLarge = body.count + piece.count > request.largestBody
        if isTooLarge { return 0 }
        body += UnsafeRawBufferPointer(piece)
        return piece.count
    }

    /// - Parameter code: what libcurl says of the transfer that has ended.
    func result(_ code: Int32) -> Result<HTTPResponse, HTTPFailure> {
        let status = ccurl_number(easy, CURLINFO_RESPONSE_CODE)
        switch code {
        case CURLE_OK where status < 100:
            return .failure(.network("the answer has no status of three digits"))
        case CURLE_OK where status == 200 && !head.hasProvenEnd && !isHTTP2: return .failure(.unprovenEnd)
        case CURLE_OK:
            return .success(
                HTTPResponse(
                    status: status, retryAfter: head.retryAfter, age: head.age, date: head.date, body: body))
        case _ where isTooLarge: return .failure(.tooLarge(limit: request.largestBody))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timeout)
        case CURLE_ABORTED_BY_CALLBACK where wasRefused:
            return .failure(.network("the server sent data before it was asked"))
        default:
            let reason = errorText.pointee == 0 ? curl_easy_strerror(code)! : UnsafePointer(errorText)
            return .failure(.network(String(cString: reason)))
        }
    }

    /// Whether the answer came over HTTP/2, whose streams have an end of their own. Where it was not agreed on, the
    /// server only calls its answer that.
    var isHTTP2: Bool {
        mayBeHTTP2 && ccurl_number(easy, CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }
}
