import CCurl

/// libcurl's parsers for URLs and dates. Pure: they do not open any connections.
enum WebText {
    /// The scheme and the host of a URL; nil unless libcurl finds both in the text and supports the scheme.
    static func address(_ text: String) -> (scheme: String, host: String)? {
        guard let url = unsafe curl_url() else { return nil }
        defer { unsafe curl_url_cleanup(url) }
        guard unsafe curl_url_set(url, CURLUPART_URL, text, 0) == 0,
            let scheme = unsafe part(CURLUPART_SCHEME, of: url),
            let host = unsafe part(CURLUPART_HOST, of: url)
        else { return nil }
        return (scheme, host)
    }

    /// Converts a date in any format that libcurl can read, such as the HTTP formats, to seconds since 1970. Returns
    /// nil if libcurl cannot read the text or returns a negative number.
    static func time(_ text: String) -> Int? {
        let seconds = unsafe curl_getdate(text, nil)
        return seconds < 0 ? nil : seconds
    }

    /// One part of a URL; nil if the URL does not contain it.
    private static func part(_ part: Int32, of url: OpaquePointer) -> String? {
        var text: UnsafeMutablePointer<CChar>?
        guard unsafe curl_url_get(url, part, &text, 0) == 0, let text = unsafe text else { return nil }
        defer { unsafe curl_free(text) }
        return unsafe String(cString: text)
    }
}
