import Foundation
import TestSupport
import TestTraits
import Testing

/// The recipes that use a database, run with the real databases.
@Suite(.endToEnd) struct DatabaseTests {
    /// For each recipe, a string that occurs only in its commands, and the tools that it needs.
    @Test(arguments: [
        ("sqlite3 -header", ["sqlite3", "jq"]), ("duckdb", ["duckdb"]), ("initdb", ["psql", "jq"]),
        ("XREADGROUP", ["redis-server", "redis-cli", "jq"]),
        ("victoria-metrics ", ["victoria-metrics", "curl", "jq"]),
        ("prometheus-node-exporter ", ["prometheus-node-exporter", "curl", "jq"]),
        ("clickhouse-server ", ["clickhouse-server", "clickhouse-client", "jq"]),
    ])
    func `the recipe for each database prints the output that the documentation shows`(
        command: String, tools: [String]
    ) throws {
        if let missing = tools.first(where: { !Programs.has($0) }) { try skip("needs \(missing)") }
        let isPostgreSQL = command == "initdb"
        if isPostgreSQL, !Self.hasPostgreSQL { try skip("needs PostgreSQL and an ordinary user") }
        let blocks = ConsoleBlock.all.filter { $0.needsDatabase && $0.commands.contains(command) }
        #expect(blocks.count == 1)
        try #require(blocks.first).expectOutput(runBy: isPostgreSQL ? Self.asOrdinaryUser : [])
    }

    /// A wrapper for commands that start a PostgreSQL server, which does not start as root; empty unless root
    /// runs the tests. The wrapper runs the command as another user. When the command ends, all processes that
    /// it started are killed.
    private static let asOrdinaryUser =
        geteuid() == 0 ? ["unshare", "--map-user=65534", "--map-group=65534", "-pf", "--kill-child"] : []

    private static let hasPostgreSQL: Bool = {
        let words = asOrdinaryUser + ["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"]
        return RunningProgram.run(words[0], Array(words.dropFirst())).status == 0
    }()
}
