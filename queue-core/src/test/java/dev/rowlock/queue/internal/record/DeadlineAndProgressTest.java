package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
class DeadlineAndProgressTest {

    private final Rooms rooms;
    private final ClaimStatements claims;

    DeadlineAndProgressTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        claims = new ClaimStatements(rooms.database());
    }

    @Test
    void anExtendedDeadlineCountsFromNowOnTheDatabasesClock() {
        ClaimedJob job = rooms.running();
        rooms.execute("UPDATE rowlock.running SET deadline = statement_timestamp() - interval '1 s'");

        Optional<Instant> deadline = claims.extend(job.claim(), Duration.ofMinutes(5));

        assertThat(rooms.look(job.id()).get("deadline")).isNotNull();
        assertThat(rooms.truth("SELECT deadline = '%s' FROM rowlock.running".formatted(deadline.orElseThrow())))
                .isTrue();
        assertThat(rooms.truth("""
                        SELECT deadline BETWEEN statement_timestamp() + interval '4 min'
                                            AND statement_timestamp() + interval '5 min' FROM rowlock.running
                        """)).isTrue();
    }

    @Test
    void aJobWithoutTimeoutMayBeGivenADeadline() {
        ClaimedJob job = rooms.running();
        assertThat(job.deadline()).isNull();

        Optional<Instant> deadline = claims.extend(job.claim(), Duration.ofMinutes(5));

        assertThat(deadline).isPresent();
    }

    @Test
    void progressIsReadableWhileTheJobRuns() {
        ClaimedJob job = rooms.running();

        claims.progress(job.claim(), 40, "4 of 10 rows");

        assertThat(rooms.look(job.id())).containsEntry("progress", 40).containsEntry("progress_note", "4 of 10 rows");
    }

    @Test
    void progressReplacesWhatWasSaidBefore() {
        ClaimedJob job = rooms.running();
        claims.progress(job.claim(), 40, "4 of 10 rows");

        claims.progress(job.claim(), 100, null);

        assertThat(rooms.look(job.id())).containsEntry("progress", 100).containsEntry("progress_note", null);
    }
}
