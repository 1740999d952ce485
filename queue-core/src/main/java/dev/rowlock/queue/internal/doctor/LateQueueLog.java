package dev.rowlock.queue.internal.doctor;

import dev.rowlock.queue.doctor.Verdict.Reason;
import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.settings.LateAfter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Logs which queues are late, why, and what helps, for those who look at logs only. One node does it for all; each queue has one line an hour at most. */
public final class LateQueueLog {

    private static final Logger log = LoggerFactory.getLogger(LateQueueLog.class);

    private static final Duration INTERVAL = Duration.ofMinutes(1);

    // A clock that was set back must not silence it.
    private static final String TELL = """
            UPDATE rowlock.depth SET told_at = clock_timestamp()
             WHERE room = 'ready' AND queue = ANY (:queues::text[])
               AND (told_at IS NULL OR clock_timestamp() NOT BETWEEN told_at AND told_at + interval '1 hour')
            RETURNING queue""";

    private final Database database;
    private final LateQueues queues;

    LateQueueLog(Database database, LateAfter lateAfter) {
        this.database = database;
        this.queues = new LateQueues(lateAfter);
    }

    public static Chore chore(Database database, LateAfter lateAfter) {
        return new SharedChore(
                new TakeChore(database), "late queues", INTERVAL, new LateQueueLog(database, lateAfter)::tell);
    }

    void tell() {
        List<Reason> late = database.alone(connection -> queues.verdict(connection, database::sql)).reasons().stream()
                .filter(reason -> reason.queue() != null)
                .toList();
        if (!late.isEmpty()) {
            Set<String> due = database.alone(connection -> due(connection, late));
            late.stream()
                    .filter(reason -> due.contains(reason.queue()))
                    .forEach(reason -> log.warn("{} {}", reason.cause(), reason.remedy()));
        }
    }

    /** Of these, the queues of which nobody has told for an hour. */
    private Set<String> due(Connection connection, List<Reason> late) throws SQLException {
        return new HashSet<>(ColdStatement.on(connection, database.sql(TELL))
                .set("queues", late.stream().map(Reason::queue).toArray(String[]::new))
                .list(row -> row.getString(1)));
    }
}
