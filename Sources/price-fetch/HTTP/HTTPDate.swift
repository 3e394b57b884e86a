import CCurl
import PipeCommon

/// A time in a header (RFC 9110): `Sun, 22 Nov 2026 14:03:07 GMT`. Pure.
enum HTTPDate {
    static func time(_ text: String) -> Timestamp? {
        guard text.hasSuffix("GMT") else { return nil }
        let seconds = curl_getdate(text, nil)
        return seconds < 0 ? nil : Timestamp(milliseconds: seconds * 1000)
    }
}
