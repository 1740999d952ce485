package dev.rowlock.queue.chaos.fault;

import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Finds a process of the server that stands still. It hangs by the library that sets its clock, which may be interrupted by the server's
 * timer while it holds a lock of its own. If it then holds a page of a table as well, whoever needs that page waits without end, for
 * no timeout of the server ends such a wait. One thread.
 */
final class Standstill {

    /** No statement of a run computes for so long. */
    private static final Duration LONG = Duration.ofSeconds(20);

    private final Map<String, Long> since = new HashMap<>(); // process and its statement, when it was first seen

    /** Since when one has been standing still; monotonic. */
    OptionalLong look(JdbcClient sql) {
        List<String> busy = sql.sql("""
                        SELECT pid || ' ' || query_start FROM pg_stat_activity
                         WHERE backend_type = 'client backend' AND state = 'active' AND pid <> pg_backend_pid()
                           AND coalesce(wait_event_type, 'LWLock') = 'LWLock'
                        """).query(String.class).list();
        long now = System.nanoTime();
        since.keySet().retainAll(busy);
        busy.forEach(statement -> since.putIfAbsent(statement, now));
        if (since.values().stream().noneMatch(seen -> now - seen > LONG.toNanos())) {
            return OptionalLong.empty();
        }
        long first = Collections.min(since.values());
        since.clear();
        return OptionalLong.of(first);
    }

    /** What the server's processes do or wait for, a line each, for who wants to know why it hangs. */
    static String processes(JdbcClient sql) {
        try {
            return sql.sql("""
                            SELECT concat_ws(' ', pid, application_name, state, wait_event_type, wait_event, pg_blocking_pids(pid), left(query, 120))
                              FROM pg_stat_activity WHERE state <> 'idle' AND pid <> pg_backend_pid() ORDER BY query_start
                            """).query(String.class).list().stream().collect(Collectors.joining("\n    ", "\n    ", ""));
        } catch (DataAccessException e) {
            return "it does not say what its processes do: " + e.getMessage();
        }
    }
}
