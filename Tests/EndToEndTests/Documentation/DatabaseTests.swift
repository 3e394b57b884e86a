import Foundation
import TestSupport
import TestTraits
import Testing

/// The recipes for recordings in databases, run with the real databases.
@Suite(.endToEnd) struct DatabaseTests {
    private static func has(_ tools: String...) -> Bool { tools.allSatisfy(Programs.has) }

    /// The block of the recipes that contains a command.
    private func recipe(_ command: String) throws -> ConsoleBlock {
        let blocks = ConsoleBlock.all.filter { $0.needsDatabase && $0.commands.contains(command) }
        #expect(blocks.count == 1)
        return try #require(blocks.first)
    }

    @Test(.enabled(if: has("sqlite3", "jq"), "needs sqlite3 and jq"))
    func `SQLite imports a recording, whole or line by line, and computes its candles`() throws {
        try recipe("sqlite3 -header").expectOutput()
    }

    @Test(.enabled(if: hasPostgreSQL && has("psql", "jq"), "needs PostgreSQL, jq and an ordinary user"))
    func `PostgreSQL imports a recording, whole or line by line, and computes its candles`() throws {
        try recipe("initdb").expectOutput(runBy: Self.asOrdinaryUser)
    }

    @Test(.enabled(if: has("duckdb"), "needs duckdb"))
    func `DuckDB computes candles directly from a recording`() throws {
        try recipe("duckdb").expectOutput()
    }

    @Test(.enabled(if: has("redis-server", "redis-cli", "jq"), "needs redis-server, redis-cli and jq"))
    func `a reader of a Redis stream gets the lines added since its last visit`() throws {
        try recipe("XREADGROUP").expectOutput()
    }

    @Test(.enabled(if: has("victoria-metrics", "curl", "jq"), "needs victoria-metrics, curl and jq"))
    func `VictoriaMetrics receives a recording in InfluxDB's line protocol`() throws {
        try recipe("victoria-metrics ").expectOutput()
    }

    @Test(
        .enabled(
            if: has("prometheus-node-exporter", "curl", "jq"), "needs prometheus-node-exporter, curl and jq"))
    func `Prometheus finds the latest price of each symbol in a file of its own`() throws {
        try recipe("prometheus-node-exporter ").expectOutput()
    }

    @Test(
        .enabled(
            if: has("clickhouse-server", "clickhouse-client", "jq"),
            "needs clickhouse-server, clickhouse-client and jq"))
    func `ClickHouse imports a recording and computes its candles`() throws {
        try recipe("clickhouse-server ").expectOutput()
    }

    /// A PostgreSQL server refuses to run as root. In a namespace root can become another user, and all
    /// processes end with the namespace.
    private static let asOrdinaryUser =
        geteuid() == 0 ? ["unshare", "--map-user=65534", "--map-group=65534", "-pf", "--kill-child"] : []

    private static let hasPostgreSQL: Bool = {
        let words = asOrdinaryUser + ["sh", "-c", "ls /usr/lib/postgresql/*/bin/initdb"]
        return RunningProgram.run(words[0], Array(words.dropFirst())).status == 0
    }()
}
