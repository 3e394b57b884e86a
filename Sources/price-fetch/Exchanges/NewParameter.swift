/// A parameter of an exchange's requests that a mirror may not know yet. Pure.
struct NewParameter: Sendable {
    /// What is added to an address that has parameters.
    let text: String
    /// The codes of an answer that does not know it.
    let unknown: Set<String>

    func isUnknown(in response: HTTPResponse) -> Bool {
        guard response.status == 400, let answer = try? JSON(parsing: response.body) else { return false }
        return answer["code"]?.number.map(unknown.contains) ?? false
    }
}
