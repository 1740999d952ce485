package dev.rowlock.queue.internal.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** What happens to dead jobs: another life, or a recorded end. */
@PostgresTest(migrated = true)
class DeadJobsTest {

    private final Rooms rooms;
    private final JobStatements jobs;

    DeadJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        jobs = new JobStatements(rooms.database());
    }

    // Redrive

    @Test
    void aRedrivenJobHasFreshAttemptsAndKeepsItsHistory() {
        long id = rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET attempt = 11, crashes = 2");

        boolean redriven = jobs.redrive(id, null);

        assertThat(redriven).isTrue();
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        assertThat(rooms.look(id))
                .containsEntry("reason", "redrive")
                .containsEntry("attempt", 0)
                .containsEntry("crashes", 0)
                .hasEntrySatisfying(
                        "errors", errors -> assertThat(errors.toString()).contains("it failed"));
    }

    @Test
    void aRedrivenJobRunsAgainUnderANewToken() {
        ClaimedJob job = rooms.running();
        rooms.bury(job.claim());

        jobs.redrive(job.id(), null);
        new DispatchDueJobs(rooms.database()).run(10);
        ClaimedJob again = rooms.claim(rooms.node(), 1).get(0);

        assertThat(again.id()).isEqualTo(job.id());
        assertThat(again.attempt()).isEqualTo(1);
        assertThat(again.claim().token()).isGreaterThan(job.claim().token());
    }

    // Discard

    @Test
    void retentionDiscardsJobsThatDiedLongAgoOldestFirst() {
        long old = died(Duration.ofDays(31));
        long oldest = died(Duration.ofDays(90));
        long young = died(Duration.ofDays(29));

        int first = jobs.discardOlderThan(Duration.ofDays(30), 1);
        assertThat(rooms.roomsOf(oldest)).isEmpty();
        assertThat(rooms.roomsOf(old)).containsExactly("dead");
        int second = jobs.discardOlderThan(Duration.ofDays(30), 10);

        assertThat(first).isEqualTo(1);
        assertThat(second).isEqualTo(1);
        assertThat(rooms.roomsOf(young)).containsExactly("dead");
        assertThat(dropped()).isEqualTo(2);
    }

    @Test
    void aJobDiscardedAndRedrivenAtOnceGoesOnlyOneWay() throws Exception {
        long id = rooms.dead();

        int discarded;
        try (OpenTransaction redriving = new OpenTransaction(rooms.database())) {
            new JobStatements(redriving.database()).redrive(id, null);
            discarded = jobs.discardOlderThan(Duration.ZERO, 10);
            redriving.commit();
        }

        assertThat(discarded).isZero();
        assertThat(rooms.roomsOf(id)).containsExactly("waiting");
        assertThat(dropped()).isZero();
    }

    private long died(Duration ago) {
        long id = rooms.dead();
        rooms.execute("UPDATE rowlock.dead SET died_at = died_at - interval '%d seconds' WHERE id = %d"
                .formatted(ago.toSeconds(), id));
        return id;
    }

    private long dropped() {
        return rooms.number("SELECT coalesce(sum(jobs), 0) FROM rowlock.dropped WHERE room = 'dead'");
    }
}
