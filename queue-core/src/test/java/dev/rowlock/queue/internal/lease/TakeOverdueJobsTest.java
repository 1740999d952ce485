package dev.rowlock.queue.internal.lease;

import static dev.rowlock.queue.internal.db.Rooms.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.db.Headers;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.janitor.OverdueStatements;
import dev.rowlock.queue.internal.janitor.OverdueStatements.Overdue;
import dev.rowlock.queue.internal.janitor.OverdueStatements.Taken;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@PostgresTest(migrated = true)
@Representative
class TakeOverdueJobsTest {

    private static final Duration GRACE = Duration.ofMinutes(10);
    private static final Duration DELAY = Duration.ofMinutes(30);

    private final Rooms rooms;
    private final OverdueStatements takeOverdue;

    TakeOverdueJobsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        takeOverdue = new OverdueStatements(rooms.database());
    }

    @Test
    void aJobPastItsDeadlineAndGraceIsTakenAndTriedAgain() {
        ClaimedJob job = overdue(running(null), GRACE.plusSeconds(1));

        int taken = take();

        assertThat(taken).isEqualTo(1);
        assertThat(rooms.roomsOf(job.id())).containsExactly("waiting");
        assertThat(rooms.look(job.id()))
                .containsEntry("reason", "retry")
                .containsEntry("attempt", 1)
                .hasEntrySatisfying(
                        "errors", errors -> assertThat(errors.toString()).contains("timeout", "claimedAt"));
        assertThat(
                        rooms.truth(
                                "SELECT due_at BETWEEN statement_timestamp() + interval '25 min' AND statement_timestamp() + interval '30 min' FROM rowlock.waiting"))
                .isTrue();
    }

    @Test
    void theJobsOwnNodeHasTheGraceToStopIt() {
        ClaimedJob job = overdue(running(null), GRACE.minusMinutes(5));

        int taken = take();

        assertThat(taken).isZero();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void aJobWithoutDeadlineMayRunForDays() {
        ClaimedJob job = rooms.running();
        rooms.execute("UPDATE rowlock.running SET claimed_at = claimed_at - interval '9 days'");

        int taken = take();

        assertThat(taken).isZero();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void aJobThatHasUsedUpItsRetriesIsDead() {
        ClaimedJob job = overdue(running(0), Duration.ofHours(1));

        take();

        assertThat(rooms.roomsOf(job.id())).containsExactly("dead");
        assertThat(rooms.look(job.id())).containsEntry("state", "dead").containsEntry("attempt", 1);
    }

    /** Its own retries come first, then those of its listener on its node, then the defaults. */
    @ParameterizedTest
    @CsvSource({"send, 0, , 10, dead", "send, 0, 1, 10, waiting", "print, 0, , 10, waiting", "print, 0, , 0, dead"})
    void aJobIsTriedAgainAsOftenAsItsOwnRetriesOrItsListenersSay(
            String type, int ofListener, @Nullable Integer own, int defaults, String room) {
        ClaimedJob job =
                runningOn("{\"%s\": {\"maxRetries\": %d, \"waits\": [1000]}}".formatted(type, ofListener), own);

        takeOverdue.take(List.of(OverdueClaim.alone(job.claim())), defaults, DELAY);

        assertThat(rooms.roomsOf(job.id())).containsExactly(room);
    }

    @Test
    void aJobWaitsAsItsListenerSaysForThisAttempt() {
        String hours = "{\"send\": {\"maxRetries\": 9, \"waits\": [3600000, 7200000, 10800000]}}";
        ClaimedJob second = runningOn(hours, (Integer) null);
        ClaimedJob seventh = runningOn(hours, (Integer) null);
        rooms.execute("UPDATE rowlock.running SET attempt = CASE id WHEN %d THEN 2 ELSE 7 END".formatted(second.id()));

        take(second, seventh);

        assertThat(hoursUntilDue(second)).isEqualTo(2);
        assertThat(hoursUntilDue(seventh)).isEqualTo(3);
    }

    @Test
    void aJobsOwnPolicyDecidesOverItsListeners() {
        JobOptions own = JobOptions.NONE.retry(RetryPolicy.fixed(Duration.ofHours(5)));
        ClaimedJob job = runningOn(
                "{\"send\": {\"maxRetries\": 0, \"waits\": [1000]}}",
                new NewJob(QUEUE, "send", 0, null, null, Duration.ofMinutes(1), "{}", Headers.encode(own, null), null));

        take(job);

        assertThat(hoursUntilDue(job)).isEqualTo(5);
    }

    @Test
    void noHeaderOfAnApplicationKeepsAJobFromBeingTaken() {
        JobOptions nul = JobOptions.NONE
                .header("nul", "\u0000")
                .header("path", "C:\\u0000\\users")
                .header("half a pair", "\uD83D")
                .header("quoted", "\"rowlock-retry\": 1");
        JobOptions own = nul.retry(RetryPolicy.fixed(Duration.ofHours(5)));
        String listener = "{\"send\": {\"maxRetries\": 9, \"waits\": [7200000]}}";
        ClaimedJob withoutPolicy = runningOn(listener, withHeaders(nul));
        ClaimedJob withPolicy = runningOn(listener, withHeaders(own));

        take(withoutPolicy, withPolicy);

        assertThat(hoursUntilDue(withoutPolicy)).isEqualTo(2);
        assertThat(hoursUntilDue(withPolicy)).isEqualTo(5);
    }

    @Test
    void aJobWhoseNextAttemptWouldComeTooLateIsDead() {
        String anHour = "{\"send\": {\"maxRetries\": 9, \"waits\": [60000], \"giveUpAfter\": 3600000}}";
        ClaimedJob young = runningOn(anHour, (Integer) null);
        ClaimedJob old = runningOn(anHour, (Integer) null);
        rooms.execute(
                "UPDATE rowlock.running SET enqueued_at = enqueued_at - interval '59 min 59 s' WHERE id = " + old.id());

        take(young, old);

        assertThat(rooms.roomsOf(young.id())).containsExactly("waiting");
        assertThat(rooms.roomsOf(old.id())).containsExactly("dead");
    }

    @Test
    void twoJanitorsAtOnceTakeEachJobOnce() throws Exception {
        ClaimedJob job = overdue(running(null), Duration.ofHours(1));

        List<OverdueClaim> found = found();
        List<Taken> theirs;
        List<Taken> ours;
        try (OpenTransaction other = new OpenTransaction(rooms.database())) {
            theirs = new OverdueStatements(other.database()).take(found, 10, DELAY);
            ours = takeOverdue.take(found, 10, DELAY);
            other.commit();
        }

        assertThat(theirs).hasSize(1);
        assertThat(ours).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("waiting");
    }

    @Test
    void aJobThatWasClaimedAgainIsNotTakenForItsOldClaim() {
        ClaimedJob job = running(null);
        List<OverdueClaim> old =
                List.of(OverdueClaim.alone(new Claim(job.id(), job.claim().token() - 1)));

        assertThat(takeOverdue.take(old, 10, DELAY)).isEmpty();
        assertThat(rooms.roomsOf(job.id())).containsExactly("running");
    }

    @Test
    void aJobThatLooksOverdueSaysHowLongItMayRun() {
        ClaimedJob job = running(null);
        rooms.execute(
                "UPDATE rowlock.running SET claimed_at = claimed_at - interval '1 h', deadline = deadline - interval '1 h'");

        List<Overdue> found = new OverdueStatements(rooms.database()).find(GRACE);

        assertThat(found).singleElement().satisfies(overdue -> {
            assertThat(overdue.claim()).isEqualTo(job.claim());
            assertThat(overdue.allowed()).isEqualTo(Duration.ofMinutes(1));
        });
    }

    private int take() {
        return takeOverdue.take(found(), 10, DELAY).stream()
                .mapToInt(Taken::jobs)
                .sum();
    }

    private void take(ClaimedJob... jobs) {
        takeOverdue.take(
                Stream.of(jobs).map(ClaimedJob::claim).map(OverdueClaim::alone).toList(), 10, DELAY);
    }

    private List<OverdueClaim> found() {
        return new OverdueStatements(rooms.database())
                .find(GRACE).stream()
                        .map(Overdue::claim)
                        .map(OverdueClaim::alone)
                        .toList();
    }

    private ClaimedJob running(@Nullable Integer maxRetries) {
        return rooms.running(limited(maxRetries));
    }

    /** Claimed by a node whose listeners try again as this JSON says. */
    private ClaimedJob runningOn(String retries, @Nullable Integer maxRetries) {
        return runningOn(retries, limited(maxRetries));
    }

    private ClaimedJob runningOn(String retries, NewJob job) {
        rooms.ready(List.of(job));
        return rooms.claim(rooms.nodeThatRetries(retries), 1).get(0);
    }

    private static NewJob limited(@Nullable Integer maxRetries) {
        return new NewJob(QUEUE, "send", 0, null, maxRetries, Duration.ofMinutes(1), "{}", null, null);
    }

    private static NewJob withHeaders(JobOptions options) {
        return new NewJob(
                QUEUE, "send", 0, null, null, Duration.ofMinutes(1), "{}", Headers.encode(options, null), null);
    }

    private long hoursUntilDue(ClaimedJob job) {
        return rooms.sql(
                        "SELECT round(date_part('epoch', due_at - statement_timestamp()) / 3600)::bigint FROM rowlock.waiting WHERE id = ?")
                .param(job.id())
                .query(Long.class)
                .single();
    }

    private ClaimedJob overdue(ClaimedJob job, Duration by) {
        rooms.execute(
                "UPDATE rowlock.running SET deadline = statement_timestamp() - interval '%d seconds' WHERE id = %d"
                        .formatted(by.toSeconds(), job.id()));
        return job;
    }
}
