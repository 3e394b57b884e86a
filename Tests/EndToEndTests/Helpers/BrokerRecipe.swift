import Foundation

/// The commands of a recipe, by the comment above them.
struct Recipe: Sendable {
    static let mosquitto = Recipe(port: "1883", containing: "mosquitto_pub")
    static let redis = Recipe(port: "6379", containing: "SUBSCRIBE")
    static let redisStreams = Recipe(port: "6379", containing: "XREADGROUP")
    static let nats = Recipe(port: "4222", containing: "nats-server")
    static let kafka = Recipe(port: "9092", containing: "kcat")
    static let twoPipelines = Recipe(port: "1883", containing: "follow()")

    let port: String
    private let parts: [String]

    private init(port: String, containing command: String) {
        self.port = port
        let block = Document.recipes.blocks(in: "sh").first { $0.contains { $0.contains(command) } } ?? []
        parts = ("\n" + block.joined(separator: "\n")).components(separatedBy: "\n# ")
    }

    /// - Parameter title: how the comment begins.
    func commands(_ title: String) -> String {
        let part = parts.first { $0.hasPrefix(title) }!
        return part.drop { $0 != "\n" }.trimmingCharacters(in: .newlines)
    }
}
