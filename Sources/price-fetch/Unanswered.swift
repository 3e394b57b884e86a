import Foundation
import PipeCommon

/// Why a source gave no quote.
struct Unanswered: Error, Equatable {
    let kind: Failure.Kind
    let message: String

    init(_ kind: Failure.Kind, _ message: String) {
        self.kind = kind
        self.message = message
    }

    /// What an HTTP status other than 200 means; nil for 200.
    init?(status: Int, body: Data) {
        switch status {
        case 200: return nil
        case 418, 429: kind = .rateLimited
        case 401, 403, 451: kind = .denied
        default: kind = .invalidData
        }
        message = "status \(status)"
    }
}
