package dev.rowlock.queue.internal.gate;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Stores the limits that an application declares. Those that were set at run time stay as they are. */
public final class DeclareLimits {

    // Without a change no row is written. Locks are taken in the order of the queues. What was set at run time holds
    // on, and has what is declared beside it. What a node that started later does not declare any more stays away.
    private static final String SQL = """
            WITH stated AS (
                SELECT * FROM %1$s
            ), asked AS (
                SELECT node, node IS NULL AS starts, without FROM (VALUES (:node::bigint, :without::text[])) AS asked (node, without)
            ), given AS (
                SELECT s.* FROM stated s
                 WHERE NOT EXISTS (SELECT FROM rowlock.node n WHERE n.id > (SELECT node FROM asked) AND s.queue = ANY (n.queues))
            ), gone AS (
                DELETE FROM rowlock.queue_limit l
                 WHERE l.declared AND l.queue = ANY ((SELECT without FROM asked)::text[])
                   AND NOT EXISTS (SELECT FROM given g WHERE g.queue = l.queue)
                RETURNING l.queue
            ), forgotten AS (
                UPDATE rowlock.queue_limit l SET declared_limit = NULL
                 WHERE NOT l.declared AND l.declared_limit IS NOT NULL AND l.queue = ANY ((SELECT without FROM asked)::text[])
                   AND NOT EXISTS (SELECT FROM given g WHERE g.queue = l.queue)
            ), beside AS (
                UPDATE rowlock.queue_limit l SET declared_limit = %6$s
                  FROM given g
                 WHERE l.queue = g.queue AND NOT l.declared
                   AND (l.declared_limit IS NULL OR (SELECT starts FROM asked) AND l.declared_limit <> %6$s)
            ), written AS (
                INSERT INTO rowlock.queue_limit AS l (queue, %2$s, declared)
                SELECT queue, %2$s, true FROM given
                 WHERE NOT EXISTS (SELECT FROM rowlock.queue_limit o WHERE o.queue = given.queue AND NOT o.declared)
                 ORDER BY queue COLLATE "C"
                ON CONFLICT (queue) DO UPDATE
                   SET %3$s, changed_at = statement_timestamp(), who = NULL
                 WHERE l.declared AND (SELECT starts FROM asked) AND (%4$s) IS DISTINCT FROM (%5$s)
                RETURNING l.queue
            )
            SELECT queue FROM gone UNION SELECT queue FROM written
            """.formatted(
                    LimitStatements.GIVEN,
                    LimitStatements.NAMES,
                    LimitStatements.TAKEN_OVER,
                    LimitStatements.of("l"),
                    LimitStatements.of("excluded"),
                    LimitStatements.json("g"));

    private final Database database;

    public DeclareLimits(Database database) {
        this.database = database;
    }

    /**
     * The application has just started: what it declares takes the place of what others have declared, and declared limits of queues that
     * it runs are gone if it declares none. Returns the queues with another limit than before.
     *
     * @param run the queues whose jobs it runs
     */
    public List<String> anew(Collection<QueueLimit> limits, Collection<String> run) {
        return declare(limits, run, null);
    }

    /**
     * Stores those again that have been removed, except for queues of a node that has started later: that one decides. Returns their queues.
     *
     * @param node the id of this one
     */
    public List<String> again(Collection<QueueLimit> limits, long node) {
        return declare(limits, List.of(), node);
    }

    /** @param node null: it has just started, and decides */
    private List<String> declare(Collection<QueueLimit> limits, Collection<String> without, @Nullable Long node) {
        return database.alone(connection -> ColdStatement.on(connection, database.sql(SQL))
                .set("limits", LimitStatements.json(limits))
                .set("node", node)
                .set("without", without.toArray(String[]::new))
                .list(row -> row.getString(1)));
    }

    /**
     * The limits that an application declares for its queues, by settings, or else by listeners: one for each queue.
     *
     * @param settings by queue
     * @throws IllegalArgumentException if listeners of one queue contradict each other and no setting decides
     */
    public static Collection<QueueLimit> of(
            Map<String, QueueLimit> settings, Collection<ListenerDefinition> listeners) {
        Map<String, QueueLimit> all = new TreeMap<>(settings);
        Map<String, ListenerDefinition> said = new TreeMap<>();
        for (ListenerDefinition listener : listeners) {
            QueueLimit limit = listener.limit();
            if (limit == null || settings.containsKey(listener.queue())) {
                continue;
            }
            ListenerDefinition before = said.putIfAbsent(listener.queue(), listener);
            if (before != null && !limit.equals(before.limit())) {
                throw new IllegalArgumentException("%s and %s contradict each other: %s, and %s; a queue has one limit"
                        .formatted(before, listener, before.limit(), limit));
            }
            all.put(listener.queue(), limit);
        }
        return all.values();
    }
}
