package dev.rowlock.queue.internal.doctor;

import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.fail;
import static dev.rowlock.queue.internal.doctor.Check.Diagnosis.warn;
import static dev.rowlock.queue.internal.doctor.Check.check;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.postgresql.PGConnection;

/** Does this process get connections and notifications, and do its own chores succeed? No table says so. */
final class ProcessChecks {

    /** The pool of this process gives no connection, or a late one. {@link Examination} looks, before all other checks. */
    static final Check CONNECTION_POOL = check("connection-pool", "The pool of this process has connections.")
            .sql("SELECT 1 AS answer", Map.of("slow_millis", 1_000))
            .finds(
                    found -> found.has("failure")
                            ? fail(
                                    "This process has got no connection to the database within {milliseconds} ms: {failure}.",
                                    "Look whether the database is up. If it is, all connections of the pool are taken: take a thread dump, and compare the pool's size with 'Pool arithmetic' in docs/database.md.")
                            : warn(
                                    "This process has waited {milliseconds} ms for a connection and the answer to SELECT 1 AS answer.",
                                    "Make the pool larger, or let fewer listeners and requests keep a connection: see 'Pool arithmetic' in docs/database.md."));

    /** The process of the server behind this connection. */
    private static final String BACKEND = "SELECT pg_backend_pid()";

    private ProcessChecks() {}

    /** A chore of the node in this process has failed for a minute, or is ten minutes behind. */
    static Check failingChore(Supplier<NodeStatus> node) {
        return check("failing-chore", "No chore of this process fails or is far behind.")
                .look("", statement -> trouble(node.get()))
                .finds(first -> first.has("behind")
                        ? warn(
                                "The chore '{chore}' of this process is far behind: the walk that it last completed began {behind} ago.",
                                "It rests twenty times as long as it works. Look for what makes its statements slow, such as a transaction that holds back vacuum; its log lines name the chore if it fails.")
                        : warn(
                                "The chore '{chore}' of this process fails, and has not succeeded for long.",
                                "The log of this process says why: it names the chore."));
    }

    private static List<Map<String, String>> trouble(NodeStatus node) {
        return node.chores().stream().flatMap(ProcessChecks::trouble).toList();
    }

    private static Stream<Map<String, String>> trouble(ChoreStatus chore) {
        Duration since = chore.sinceSuccess();
        if (chore.failing() && (since == null || since.compareTo(Duration.ofMinutes(1)) > 0)) {
            return Stream.of(Map.of("chore", chore.name(), "since_success", String.valueOf(since)));
        }
        // A walk through all workflows that takes longer: their ends are told by then, but what was cancelled or
        // redriven by hand waits.
        Duration behind = chore.behind();
        return behind != null && behind.compareTo(Duration.ofMinutes(10)) > 0
                ? Stream.of(Map.of("chore", chore.name(), "behind", behind.toString()))
                : Stream.empty();
    }

    /**
     * The connection that listens for notifications goes through a pooler that gives its process of the server to others.
     *
     * @param unpooled where the connections of lease and notifications come from
     */
    static Check pooler(DataSource unpooled) {
        return check("pooler", "No pooler stands between notifications and this process.")
                .look(BACKEND, statement -> sharedBackend(unpooled))
                .finds(
                        fail(
                                "A pooler in transaction mode stands between this process and the database: who listens through it is told nothing, so new jobs wait for the next poll.",
                                "Set rowlock.worker.direct-url to the database's own address, or rowlock.notify.enabled=false to do without notifications."));
    }

    /**
     * Two connections that share a process of the server. The driver is told a number of a process when it connects; a pooler makes one up. Only then a
     * second connection begins a transaction: either it is given the process that the first one has just had, or the first one gets another process now.
     */
    private static List<Map<String, String>> sharedBackend(DataSource source) throws SQLException {
        try (Connection first = source.getConnection()) {
            String before = backend(first);
            if (before.equals(Integer.toString(first.unwrap(PGConnection.class).getBackendPID()))) {
                return List.of();
            }
            try (Connection second = source.getConnection()) {
                second.setAutoCommit(false);
                String held = backend(second);
                String after = held.equals(before) ? held : backend(first);
                second.rollback();
                return after.equals(before) && !held.equals(before)
                        ? List.of()
                        : List.of(Map.of(
                                "first_connection",
                                before,
                                "second_connection",
                                held,
                                "first_connection_again",
                                after));
            }
        }
    }

    private static String backend(Connection connection) throws SQLException {
        return ColdStatement.on(connection, BACKEND).only(row -> row.getString(1));
    }
}
