import CCurl
import PipeCommon

/// A libcurl easy handle that is reused for one request after another and collects each answer up to a maximum size.
final class CurlTransfer: CurlReceiver {
    let easy = CurlEasy()
    /// Identifies the request in its result; nil if the answer is no longer wanted.
    var id: Int?
    private(set) var request = HTTPRequest(url: "http://localhost")
    /// The socket of the connection; nil until the request is about to be sent.
    var socket: Int32?
    /// Whether the request's connection has carried an answer before.
    var isReusing = false
    /// Whether the connection that libcurl chose must not carry the request.
    var wasRefused = false
    /// Whether OpenSSL holds decrypted bytes of the chosen connection that libcurl has not read.
    private(set) var hasDecryptedBytes = false
    /// Whether HTTP/2 was negotiated for the connection. Without OpenSSL this is not known; the value is then true for
    /// every encrypted connection.
    private(set) var mayBeHTTP2 = false
    private(set) var isFresh = false
    private var head = ResponseHead()
    private var body: [UInt8] = []
    /// The size limit that the answer exceeds, in bytes; nil unless `receiveHead` or `receiveBody` has found the answer
    /// too large.
    private var exceeded: Int?
    private let claim: (CurlTransfer, Endpoints) -> Bool

    /// - Parameter claim: decides whether the connection that libcurl chose may carry the request.
    init(claim: @escaping (CurlTransfer, Endpoints) -> Bool) {
        self.claim = claim
        easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        easy.set(CURLOPT_USERAGENT, "btc-price/\(version)")
        easy.report(to: self)
        use(request)
    }

    func mayRequest(_ endpoints: Endpoints) -> Bool {
        let session = OpenSSLSession(easy)
        hasDecryptedBytes = session?.hasDecryptedBytes ?? false
        mayBeHTTP2 = session?.isHTTP2 ?? request.url.isEncrypted
        return claim(self, endpoints)
    }

    func prepare(_ request: HTTPRequest, connectWithin connectLimit: Duration, _ limit: Duration) {
        if request != self.request { use(request) }
        easy.set(CURLOPT_CONNECTTIMEOUT_MS, connectLimit.milliseconds)
        easy.set(CURLOPT_TIMEOUT_MS, limit.milliseconds)
        reset(isFresh: false)
    }

    private func use(_ request: HTTPRequest) {
        self.request = request
        easy.set(CURLOPT_URL, request.url.text)
        let own = request.headers.map { "\($0): \($1)" }
        easy.setHeaders(["Accept: application/json", "Cache-Control: no-cache"] + own)
        // The source's own headers contain the user's API key. A proxy could read the key in an unencrypted
        // request, so no proxy is used for such a request.
        if !own.isEmpty, !request.url.isEncrypted { easy.set(CURLOPT_NOPROXY, "*") }
    }

    /// - Parameter isFresh: whether the request needs a new connection.
    func reset(isFresh: Bool) {
        self.isFresh = isFresh
        easy.set(CURLOPT_FRESH_CONNECT, isFresh ? 1 : 0)
        head = ResponseHead()
        body = []
        (socket, isReusing, wasRefused, exceeded) = (nil, false, false, nil)
    }

    /// Whether the request must be repeated on a new connection, because the old connection, not the server, was
    /// probably at fault. libcurl 7.88 itself retries when a connection turns out to be closed, but it counts its
    /// retries across all requests of a handle, so every sixth such request would fail.
    func needsFreshConnection(after code: Int32) -> Bool {
        guard !isFresh, code != CURLE_OK, code != CURLE_OPERATION_TIMEDOUT else { return false }
        return wasRefused || isReusing && head.size == 0
    }

    func receiveHead(_ line: Span<UInt8>) -> Bool {
        head.receive(line)
        if head.size > HTTPResponse.largestHead {
            exceeded = HTTPResponse.largestHead
        } else if let length = head.length, length > request.largestBody {
            exceeded = request.largestBody
        }
        return exceeded == nil
    }

    func receiveBody(_ piece: [UInt8]) -> Bool {
        if body.count + piece.count > request.largestBody {
            exceeded = request.largestBody
        } else {
            body += piece
        }
        return exceeded == nil
    }

    /// - Parameter code: libcurl's result code for the transfer.
    func result(_ code: Int32) -> Result<HTTPResponse, HTTPFailure> {
        let status = easy.number(CURLINFO_RESPONSE_CODE)
        if let exceeded { return .failure(.tooLarge(limit: exceeded)) }
        switch code {
        case CURLE_OK where status < 100:
            return .failure(.network("the HTTP status of the answer does not have three digits"))
        case CURLE_OK where status == 200 && !head.hasProvenEnd && !isHTTP2: return .failure(.unprovenEnd)
        case CURLE_OK:
            return .success(
                HTTPResponse(
                    status: status, retryAfter: head.retryAfter, age: head.age, date: head.date, body: body))
        // libcurl reports a header line longer than 100 KiB with one of these codes, depending on its version.
        case _
        where [CURLE_TOO_LARGE, CURLE_OUT_OF_MEMORY].contains(code) && head.size > 0
            && !head.isComplete:
            return .failure(.tooLarge(limit: HTTPResponse.largestHead))
        case CURLE_OPERATION_TIMEDOUT: return .failure(.timeout)
        case CURLE_ABORTED_BY_CALLBACK where wasRefused:
            return .failure(.network("the server sent data before any request"))
        default:
            return .failure(.network(easy.words(for: code)))
        }
    }

    /// Whether the answer came over HTTP/2, which marks the end of every answer. An answer that is labeled HTTP/2
    /// counts as HTTP/2 only if `mayBeHTTP2` is true.
    var isHTTP2: Bool {
        mayBeHTTP2 && easy.number(CURLINFO_HTTP_VERSION) == CURL_HTTP_VERSION_2_0
    }
}
