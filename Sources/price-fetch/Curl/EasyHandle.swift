import CCurl
import PipeCommon

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
