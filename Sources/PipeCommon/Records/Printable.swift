/// Makes text from outside harmless: control and format characters (escape sequences, bidirectional overrides), line
/// ends and unassigned code points become `?`. Cuts it to `limit` code points.
public func printable(_ text: String, atMost limit: Int = .max) -> String {
    if text.utf8.count <= limit, text.isPlainASCII { return text }
    let clean = text.unicodeScalars.map { $0.isPrintable ? $0 : "?" }
    let cut = clean.count <= limit ? clean : clean.prefix(limit - 1) + ["…"]
    return String(String.UnicodeScalarView(cut))
}

extension Unicode.Scalar {
    fileprivate var isPrintable: Bool {
        switch properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate, .privateUse, .unassigned:
            false
        default: true
        }
    }
}
