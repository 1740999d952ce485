package dev.rowlock.queue.internal.record;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.janitor.DispatchDueJobs;
import dev.rowlock.queue.internal.record.OutcomeStatements.Deferred;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@PostgresTest(migrated = true)
@Representative
class DeferJobsTest {

    private final Rooms rooms;
    private final OutcomeStatements outcomes;

    DeferJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        outcomes = new OutcomeStatements(rooms.database(), true);
    }

    @Test
    void aRetryWaitsForItsBackoffAndCountsTheAttempt() {
        ClaimedJob job = rooms.running();

        Set<Long> held = outcomes.defer(List.of(retry(job.claim(), Duration.ofMinutes(7))))
                .held();

        assertThat(held).containsExactly(job.claim().token());
        assertThat(rooms.roomsOf(job.id())).containsExactly("waiting");
        assertThat(rooms.look(job.id()))
                .containsEntry("state", "waiting")
                .containsEntry("reason", "retry")
                .containsEntry("attempt", 1);
        assertThat(secondsToDue(job.id())).isCloseTo(420, within(60.0));
    }

    @Test
    void aRetryOfAnOldJobWaitsForItsBackoffAndNoLonger() {
        ClaimedJob job = rooms.running();
        age(job, Duration.ofDays(30));

        outcomes.defer(List.of(retry(job.claim(), Duration.ofMinutes(7))));

        assertThat(secondsToDue(job.id())).isCloseTo(420, within(60.0));
    }

    @Test
    void aRetryKeepsTheErrorWithItsAttemptAndTime() {
        ClaimedJob job = rooms.running();

        outcomes.defer(List.of(retry(job.claim(), Duration.ZERO)));

        assertThat(rooms.truth("""
                        SELECT jsonb_array_length(errors) = 1 AND errors -> 0 ->> 'message' = 'it failed'
                               AND (errors -> 0 ->> 'attempt')::int = 1
                               AND (errors -> 0 ->> 'at')::timestamptz > statement_timestamp() - interval '1 minute'
                          FROM rowlock.waiting
                        """)).isTrue();
    }

    @Test
    void theErrorHistoryKeepsTheLatestTwenty() {
        long id = rooms.ready();

        for (int attempt = 1; attempt <= 25; attempt++) {
            Claim claim = rooms.claim(rooms.node(), 1).get(0).claim();
            outcomes.defer(List.of(
                    new Deferred(claim, Due.after(Duration.ZERO), null, "retry", Rooms.error("no " + attempt))));
            new DispatchDueJobs(rooms.database()).run(10);
        }

        assertThat(rooms.sql("SELECT e ->> 'message' FROM rowlock.ready, jsonb_array_elements(errors) e WHERE id = "
                                + id)
                        .query(String.class)
                        .list())
                .hasSize(20)
                .startsWith("no 6")
                .endsWith("no 25");
        assertThat(rooms.look(id)).containsEntry("attempt", 25);
    }

    @Test
    void aSnoozeDoesNotCountAsAnAttempt() {
        ClaimedJob job = rooms.running();

        outcomes.defer(List.of(new Deferred(job.claim(), Due.after(Duration.ofMinutes(5)), null, "snooze", null)));

        assertThat(rooms.look(job.id()))
                .containsEntry("reason", "snooze")
                .containsEntry("attempt", 0)
                .containsEntry("errors", null);
        assertThat(secondsToDue(job.id())).isCloseTo(300, within(60.0));
    }

    @Test
    void aJobMayNameTheInstantAtWhichItIsDue() {
        ClaimedJob job = rooms.running();
        Instant at = Instant.parse("2040-02-29T23:59:59.123456Z");

        outcomes.defer(List.of(new Deferred(job.claim(), Due.at(at), null, "snooze", null)));

        assertThat(rooms.truth(
                        "SELECT due_at = '2040-02-29T23:59:59.123456Z' FROM rowlock.waiting WHERE id = " + job.id()))
                .isTrue();
    }

    @Test
    void theWaitOfAnUnknownTypeGrowsWithTheJobsAgeUpToALimit() {
        List<ClaimedJob> jobs = rooms.running(3);
        age(jobs.get(1), Duration.ofMinutes(40));
        age(jobs.get(2), Duration.ofDays(2));

        outcomes.defer(jobs.stream()
                .map(job -> new Deferred(
                        job.claim(), Due.after(Duration.ofMinutes(5)), Duration.ofHours(10), "unknown-type", null))
                .toList());

        assertThat(secondsToDue(jobs.get(0).id())).isCloseTo(300, within(60.0));
        assertThat(secondsToDue(jobs.get(1).id())).isCloseTo(2_400, within(60.0));
        assertThat(secondsToDue(jobs.get(2).id())).isCloseTo(36_000, within(60.0));
        assertThat(rooms.look(jobs.get(2).id()))
                .containsEntry("reason", "unknown-type")
                .containsEntry("attempt", 0);
    }

    @Test
    void aJobThatSomebodyAskedToCancelEndsAsCancelledInsteadOfWaiting() {
        List<ClaimedJob> jobs = rooms.running(2);
        jobs.forEach(job -> new JobStatements(rooms.database()).requestCancel(job.id(), null));

        Set<Long> held = outcomes.defer(List.of(
                        retry(jobs.get(0).claim(), Duration.ZERO),
                        new Deferred(jobs.get(1).claim(), Due.after(Duration.ZERO), null, "snooze", null)))
                .held();

        assertThat(held).hasSize(2);
        assertThat(rooms.roomsOf(jobs.get(0).id())).containsExactly("done");
        assertThat(rooms.look(jobs.get(0).id()))
                .containsEntry("state", "cancelled")
                .hasEntrySatisfying(
                        "errors", errors -> assertThat(errors.toString()).contains("it failed"));
        assertThat(rooms.roomsOf(jobs.get(1).id())).containsExactly("done");
    }

    @Test
    void oneBatchMayHoldAllKindsAndLostClaims() {
        List<ClaimedJob> jobs = rooms.running(4);

        Set<Long> held = outcomes.defer(List.of(
                        retry(jobs.get(0).claim(), Duration.ofSeconds(1)),
                        new Deferred(jobs.get(1).claim(), Due.at(Instant.EPOCH), null, "snooze", null),
                        retry(Rooms.stale(jobs.get(2).claim()), Duration.ofSeconds(1)),
                        new Deferred(
                                jobs.get(3).claim(),
                                Due.after(Duration.ofSeconds(1)),
                                Duration.ofHours(1),
                                "unknown-type",
                                null)))
                .held();

        assertThat(held)
                .containsExactlyInAnyOrder(
                        jobs.get(0).claim().token(),
                        jobs.get(1).claim().token(),
                        jobs.get(3).claim().token());
        assertThat(rooms.roomsOf(jobs.get(2).id())).containsExactly("running");
        assertThat(rooms.count("waiting")).isEqualTo(3);
    }

    private static Deferred retry(Claim claim, Duration backoff) {
        return deferred(claim, backoff, null);
    }

    private static Deferred deferred(Claim claim, Duration backoff, @Nullable Duration byAgeUpTo) {
        return new Deferred(claim, Due.after(backoff), byAgeUpTo, "retry", Rooms.error("it failed"));
    }

    private void age(ClaimedJob job, Duration age) {
        rooms.execute("UPDATE rowlock.running SET enqueued_at = enqueued_at - interval '%d seconds' WHERE id = %d"
                .formatted(age.toSeconds(), job.id()));
    }

    private double secondsToDue(long id) {
        return rooms.sql("SELECT date_part('epoch', due_at - statement_timestamp()) FROM rowlock.waiting WHERE id = "
                        + id)
                .query(Double.class)
                .single();
    }
}
