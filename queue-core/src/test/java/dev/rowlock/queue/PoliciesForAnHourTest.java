package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A policy chooses nothing for an hour, the longest time for which a job is held at once. */
@PostgresTest(freshPerTest = true, migrated = true)
class PoliciesForAnHourTest {

    private static final Duration LONG = Duration.ofSeconds(60);

    record Send(int number) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final TestDatabase database;
    private volatile List<Long> shown = List.of();

    PoliciesForAnHourTest(TestDatabase database) {
        this.database = database;
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @Test
    void itsJobsKeepTheirOrder() {
        Rooms rooms = Rooms.emptyIn(database);
        Rowlock node = rowlocks.started(
                Rowlocks.quick(database.dataSource()).policy(new Never()).listener(Send.class, (send, job) -> {}));
        List<Long> jobs = IntStream.range(0, 4)
                .mapToObj(number -> node.jobs().enqueue(new Send(number)))
                .toList();
        await().atMost(LONG).until(() -> shown.equals(jobs));

        // The first two have been held for an hour: both tables say so.
        rooms.execute("""
                WITH first AS (
                    SELECT id FROM rowlock.waiting ORDER BY id LIMIT 2
                ), notes AS (
                    UPDATE rowlock.held_job SET due_at = statement_timestamp() - interval '1 ms' WHERE job_id IN (SELECT id FROM first)
                )
                UPDATE rowlock.waiting SET due_at = statement_timestamp() - interval '1 ms' WHERE id IN (SELECT id FROM first)
                """);
        node.jobs().enqueue(new Send(4), o -> o.queue("other").delay(Duration.ofMillis(1))); // so that it looks at once
        await().atMost(LONG)
                .until(() ->
                        rooms.number("SELECT count(*) FROM rowlock.waiting WHERE reason = 'policy' AND due_at > now()")
                                == 4);

        shown = List.of();
        await().atMost(LONG).until(() -> shown.size() == 4);
        assertThat(shown).isEqualTo(jobs);
    }

    /** Chooses nothing. */
    private final class Never implements AdmissionPolicy {

        @Override
        public String queue() {
            return "default";
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            shown = request.jobs().stream().map(WaitingJob::id).toList();
            return Admission.nothingFor(Duration.ofMillis(10));
        }
    }
}
