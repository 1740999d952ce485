package dev.rowlock.queue.internal.claim;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs.Batch;
import dev.rowlock.queue.internal.db.ExplainedDatabase;
import dev.rowlock.queue.internal.db.ExplainedDatabase.Plans;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs.Result;
import dev.rowlock.queue.internal.janitor.DuePosition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The cost of a claim, or of a look for due jobs, does not grow with dead entries that vacuum cannot remove. */
@PostgresTest(migrated = true)
@Representative
class HeldSnapshotTest {

    private static final int JOBS = 10_000;
    private static final int BATCH = 500;
    private static final String CLAIM = "ready_in_order";
    private static final String DISPATCH = "waiting_by_due";

    private final TestDatabase test;
    private final Rooms rooms;

    HeldSnapshotTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
    }

    @Test
    void aClaimFromTheCursorPassesNoneOfTheDeadEntries() throws Exception {
        long node = rooms.node();
        rooms.fill(JOBS, node);

        try (Connection holder = test.unpooled().getConnection();
                ExplainedDatabase explained =
                        new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            holder.createStatement().execute("SELECT count(*) FROM pg_class");
            ClaimReadyJobs claim = new ClaimReadyJobs(explained.database());

            Batch batch = claim.run(QUEUE, QueueRange.ALL, BATCH, node, null);
            long first = pagesRead(explained, CLAIM);
            while (rooms.count("ready") > BATCH) {
                batch = claim.run(QUEUE, behind(batch), BATCH, node, null);
            }
            batch = claim.run(QUEUE, behind(batch), BATCH, node, null);
            long last = pagesRead(explained, CLAIM);
            rooms.ready(1);
            claim.run(QUEUE, QueueRange.ALL, BATCH, node, null);
            long fromTheFront = pagesRead(explained, CLAIM);

            assertThat(batch.jobs()).hasSize(BATCH);
            assertThat(last).isLessThan(first * 2);
            assertThat(fromTheFront).isGreaterThan(first * 10);
            holder.rollback();
        }
    }

    @Test
    void aLookForDueJobsPassesNoneOfThoseThatHaveMoved() throws Exception {
        rooms.execute("INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, reason, queue, type, payload) "
                + "SELECT nextval('rowlock.job_id'), now() - interval '1 h' + n * interval '1 ms', now(), 0, 'retry', "
                + "'mail', 'send', '{}' FROM generate_series(1, " + JOBS + ") n");

        try (Connection holder = test.unpooled().getConnection();
                ExplainedDatabase explained =
                        new ExplainedDatabase(test, rooms.database().schema(), Plans.AUTO)) {
            holder.setAutoCommit(false);
            holder.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            holder.createStatement().execute("SELECT count(*) FROM pg_class");
            DispatchDueJobs dispatch = new DispatchDueJobs(explained.database());

            Result result = dispatch.run(DuePosition.FRONT, BATCH, List.of());
            long first = pagesRead(explained, DISPATCH);
            while (result.last() != null) {
                result = dispatch.run(result.last(), BATCH, List.of());
            }
            long last = pagesRead(explained, DISPATCH);
            dispatch.run(result.until(), BATCH, List.of());
            long behindAll = pagesRead(explained, DISPATCH);
            dispatch.run(DuePosition.FRONT, BATCH, List.of());
            long fromTheFront = pagesRead(explained, DISPATCH);

            assertThat(rooms.count("ready")).isEqualTo(JOBS);
            assertThat(last).isLessThan(first);
            assertThat(behindAll).isLessThan(first);
            assertThat(fromTheFront).isGreaterThan(first * 5);
            holder.rollback();
        }
    }

    private static QueueRange behind(Batch batch) {
        return QueueRange.from(Objects.requireNonNull(batch.last()));
    }

    private static long pagesRead(ExplainedDatabase explained, String index) {
        Matcher pages = Pattern.compile("Index Scan using " + index + ".*?Buffers: shared hit=(\\d+)", Pattern.DOTALL)
                .matcher(explained.lastPlan());
        assertThat(pages.find()).as(explained.lastPlan()).isTrue();
        return Long.parseLong(pages.group(1));
    }
}
