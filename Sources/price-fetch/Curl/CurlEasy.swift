import CCurl
import PipeCommon

/// Receives the events of a transfer.
protocol CurlReceiver: AnyObject {
    /// Whether the request may be sent on the connection that libcurl chose.
    func mayRequest(_ endpoints: Endpoints) -> Bool

    /// Receives a line of the answer's header or trailer, with its line end.
    ///
    /// - Returns: whether the transfer may continue.
    func receiveHead(_ line: Span<UInt8>) -> Bool

    /// Receives the next piece of the answer's body.
    ///
    /// - Returns: whether the transfer may continue.
    func receiveBody(_ piece: [UInt8]) -> Bool
}

/// A libcurl easy handle with the settings that all our connections share, such as the allowed protocols and the
/// trusted certificates. Its pointers are used only in this folder.
@safe final class CurlEasy {
    let handle = unsafe curl_easy_init()!
    /// The text of the latest error. libcurl empties it before each transfer.
    private let errorText = UnsafeMutablePointer<CChar>.allocate(capacity: Int(CURL_ERROR_SIZE))
    private var headers: OpaquePointer?
    private unowned var receiver: (any CurlReceiver)?

    init() {
        unsafe errorText.initialize(to: 0)
        set(CURLOPT_NOSIGNAL, 1)
        // Do not wait for a name look-up that was given up. Versions of libcurl before 7.87 do not know this option.
        set(CURLOPT_QUICK_EXIT, 1)
        if !set(CURLOPT_PROTOCOLS_STR, "http,https") {
            set(CURLOPT_PROTOCOLS, Int(CURLPROTO_HTTP | CURLPROTO_HTTPS))
        }
        unsafe ccurl_set_pointer(handle, CURLOPT_ERRORBUFFER, errorText)
        for (variable, option) in [
            ("SSL_CERT_FILE", CURLOPT_CAINFO), ("CURL_CA_BUNDLE", CURLOPT_CAINFO),
            ("SSL_CERT_DIR", CURLOPT_CAPATH),
        ] {
            if let path = environmentVariable(variable), !path.isEmpty { set(option, path) }
        }
    }

    deinit {
        unsafe curl_easy_cleanup(handle)
        unsafe curl_slist_free_all(headers)
        unsafe errorText.deallocate()
    }

    // MARK: settings

    func set(_ option: Int32, _ number: Int) {
        unsafe ccurl_set_number(handle, option, number)
    }

    /// - Returns: false if libcurl rejects the option, for example because this version does not know it.
    @discardableResult func set(_ option: Int32, _ text: String) -> Bool {
        unsafe ccurl_set_text(handle, option, text) == CURLE_OK
    }

    func setHeaders(_ lines: [String]) {
        let former = unsafe headers
        unsafe headers = lines.reduce(nil) { list, line in unsafe curl_slist_append(list, line) }
        unsafe ccurl_set_pointer(handle, CURLOPT_HTTPHEADER, UnsafeRawPointer(headers))
        unsafe curl_slist_free_all(former)
    }

    /// Sends the events of the transfer to a receiver, which is not retained.
    func report(to receiver: any CurlReceiver) {
        self.receiver = receiver
        let this = unsafe Unmanaged.passUnretained(self).toOpaque()
        unsafe ccurl_on_data(handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, easy in
            let line = unsafe CurlEasy.bytes(bytes, size * count)
            return unsafe CurlEasy.at(easy).receiver?.receiveHead(line.span) == true ? line.count : 0
        }
        unsafe ccurl_set_pointer(handle, CURLOPT_HEADERDATA, this)
        unsafe ccurl_on_data(handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, easy in
            let piece = unsafe Array(CurlEasy.bytes(bytes, size * count))
            return unsafe CurlEasy.at(easy).receiver?.receiveBody(piece) == true ? piece.count : 0
        }
        unsafe ccurl_set_pointer(handle, CURLOPT_WRITEDATA, this)
        unsafe ccurl_before_request(handle) { easy, peer, local, peerPort, localPort in
            let endpoints = unsafe Endpoints(
                local: .init(CurlEasy.text(local), localPort), peer: .init(CurlEasy.text(peer), peerPort))
            let mayRequest = unsafe CurlEasy.at(easy).receiver?.mayRequest(endpoints) == true
            return mayRequest ? CURL_PREREQFUNC_OK : CURL_PREREQFUNC_ABORT
        }
        unsafe ccurl_set_pointer(handle, CURLOPT_PREREQDATA, this)
    }

    private static func at(_ context: UnsafeMutableRawPointer?) -> CurlEasy {
        unsafe Unmanaged.fromOpaque(context!).takeUnretainedValue()
    }

    private static func bytes(_ start: UnsafeMutablePointer<CChar>?, _ count: Int)
        -> UnsafeBufferPointer<UInt8>
    {
        unsafe UnsafeRawBufferPointer(start: start, count: count).assumingMemoryBound(to: UInt8.self)
    }

    private static func text(_ text: UnsafeMutablePointer<CChar>?) -> String {
        unsafe text.map { unsafe String(cString: $0) } ?? ""
    }

    // MARK: a transfer that only connects

    /// The socket of the connection; -1 if there is none.
    var socket: Int32 { unsafe ccurl_socket(handle) }

    /// Reads available bytes into a buffer, at most as many as fit. Returns libcurl's result code and the number of
    /// bytes read.
    func receive(_ buffer: inout [UInt8]) -> (code: Int32, count: Int) {
        var count = 0
        let code = unsafe curl_easy_recv(handle, &buffer, buffer.count, &count)
        return (code, count)
    }

    /// Sends as many bytes from the beginning of the array as libcurl can send at once. Returns libcurl's result code
    /// and the number of bytes sent.
    func send(_ bytes: [UInt8]) -> (code: Int32, count: Int) {
        var count = 0
        let code = unsafe curl_easy_send(handle, bytes, bytes.count, &count)
        return (code, count)
    }

    // MARK: the results of a transfer

    func number(_ information: Int32) -> Int {
        unsafe ccurl_number(handle, information)
    }

    /// A readable message about a failed operation. `code` is libcurl's result code.
    func words(for code: Int32) -> String {
        let hasWords = unsafe errorText.pointee != 0
        return unsafe String(cString: hasWords ? UnsafePointer(errorText) : curl_easy_strerror(code)!)
    }
}
