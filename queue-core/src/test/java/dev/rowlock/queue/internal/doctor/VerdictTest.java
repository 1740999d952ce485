package dev.rowlock.queue.internal.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.doctor.Finding;
import dev.rowlock.queue.doctor.Verdict;
import dev.rowlock.queue.doctor.Verdict.Reason;
import dev.rowlock.queue.doctor.Verdict.Status;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.internal.janitor.Measurements;
import dev.rowlock.queue.settings.LateAfter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Plants what makes queues late, and reads the verdict and what the doctor says of the same. */
@PostgresTest(migrated = true)
@Representative
class VerdictTest {

    private final Rooms rooms;
    private LateAfter lateAfter = LateAfter.DEFAULT;

    VerdictTest(TestDatabase test) {
        rooms = Rooms.emptyIn(test);
        rooms.execute("DELETE FROM rowlock.pause");
        rooms.execute("DELETE FROM rowlock.depth");
        rooms.execute("DELETE FROM rowlock.queue_limit");
    }

    @Test
    void aQueueWhoseJobsHaveJustComeIsHealthy() {
        rooms.node();
        rooms.ready(3);

        isHealthy();
    }

    @Test
    void jobsThatComeFasterThanTheyRunAreLate() {
        long node = rooms.node();
        long first = rooms.ready(2)[0];
        rooms.ready(1);
        jobsHaveWaited("12 min");
        rooms.claim(node, 1);

        Reason reason = only(Status.LATE);

        assertThat(reason.queue()).isEqualTo("mail");
        assertThat(reason.cause())
                .isEqualTo(
                        "Jobs of queue 'mail' have waited for 12 min: more comes than it runs (1 at once, 10 slots).");
        assertThat(reason.remedy())
                .startsWith("Give it more slots or nodes. JobSearch.explain(%d), ".formatted(first + 1));
    }

    @Test
    void aQueueOfWhichNoHandlerHasBegunForLongIsStuckAndNamesTheJobsThatRun() {
        long node = rooms.node();
        long[] jobs = rooms.ready(5);
        rooms.claim(node, 4);
        rooms.execute("UPDATE rowlock.running SET claimed_at = claimed_at - interval '80 min'");
        jobsHaveWaited("12 min");

        assertThat(only(Status.STUCK).cause())
                .isEqualTo(
                        "Jobs of queue 'mail' have waited for 12 min: the 4 that it runs (10 slots) have run for 1 h 20 min or longer, and none has begun since; the oldest are %d, %d, %d."
                                .formatted(jobs[0], jobs[1], jobs[2]));
    }

    @Test
    void aQueueThatANodeServesAndOfWhichNothingRunsIsStuck() {
        rooms.node();
        long job = rooms.ready();
        jobsHaveWaited("6 min");

        Reason reason = only(Status.STUCK);

        assertThat(reason.cause())
                .isEqualTo(
                        "Jobs of queue 'mail' have waited for 6 min: none of it runs, though living nodes serve it (1).");
        assertThat(reason.remedy()).contains("/actuator/rowlock/job/" + job);
    }

    /** Its jobs begin one by one, with pauses in which none runs. */
    @Test
    void aQueueWithARateIsLateAndNotStuck() {
        rooms.node();
        rooms.ready();
        jobsHaveWaited("6 min");
        rooms.execute(
                "INSERT INTO rowlock.queue_limit (queue, rate_jobs, rate_millis, rate_burst, who, changed_at) VALUES ('mail', 1, 3600000, 1, 'ann', now() - interval '3 days')");

        assertThat(only(Status.LATE).cause())
                .endsWith("more comes than it runs (0 at once, 10 slots, limited at run time by ann for 3 d).");
    }

    @Test
    void aQueueThatNoNodeServesIsStuck() {
        rooms.node();
        rooms.execute("UPDATE rowlock.node SET queues = '{other}'");
        rooms.ready();
        jobsHaveWaited("6 min");

        assertThat(only(Status.STUCK).cause())
                .isEqualTo("Jobs of queue 'mail' have waited for 6 min: no living node serves it.");
    }

    @Test
    void aPauseIsNamedWithWhoHasMadeIt() {
        rooms.node();
        rooms.ready();
        jobsHaveWaited("6 min");
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('queue', 'mail', now() - interval '25 hours', 'ann')");

        assertThat(only(Status.LATE).cause())
                .isEqualTo("Jobs of queue 'mail' have waited for 6 min: it has been paused for 1 d 1 h by ann.");

        rooms.execute("UPDATE rowlock.pause SET why = 'full disk'");
        assertThat(only(Status.LATE).cause()).endsWith("by ann (full disk).");
    }

    @Test
    void aPausedTypeIsNamedIfItsJobsAreAllThatWaits() {
        rooms.node();
        rooms.ready();
        jobsHaveWaited("6 min");
        String type = Rooms.job().type();
        rooms.sql("INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('type', ?, now(), 'ann')")
                .param(type)
                .update();

        assertThat(only(Status.LATE).cause())
                .isEqualTo("Jobs of queue 'mail' have waited for 6 min: they are of types that are paused (%s)."
                        .formatted(type));

        long other = rooms.ready();
        rooms.sql("UPDATE rowlock.ready SET type = 'other' WHERE id = ?")
                .param(other)
                .update();
        assertThat(only(Status.STUCK).cause()).contains("none of it runs");
    }

    @Test
    void aQueueWhoseJobsMayWaitForLongIsHealthy() {
        rooms.node();
        rooms.ready();
        jobsHaveWaited("6 min");
        lateAfter = new LateAfter(
                Duration.ofMinutes(5), Map.of("mail", Duration.ofMinutes(7), "other", Duration.ofMinutes(1)));

        isHealthy();

        lateAfter = new LateAfter(Duration.ofMinutes(7), Map.of("mail", Duration.ofMinutes(5)));
        only(Status.STUCK);
    }

    /** The measurement is a few seconds old. */
    @Test
    void aQueueThatHasBeenEmptiedSinceItWasMeasuredIsHealthy() {
        long node = rooms.node();
        rooms.ready();
        jobsHaveWaited("6 min");
        rooms.claim(node, 1);

        isHealthy();
    }

    @Test
    void jobsWithoutAnyLivingNodeAreStuck() {
        rooms.ready();

        assertThat(verdict().reasons()).singleElement().satisfies(reason -> {
            assertThat(reason.status()).isEqualTo(Status.STUCK);
            assertThat(reason.cause()).isEqualTo("No node lives, and jobs are ready.");
        });
    }

    @Test
    void queuesThatNobodyMeasuresAreNotCalledHealthy() {
        rooms.node();
        isHealthy();

        rooms.execute("UPDATE rowlock.node SET started_at = started_at - interval '3 min'");

        assertThat(verdict().status()).isEqualTo(Status.BLIND);
    }

    @Test
    void whereTheTablesCannotBeReadTheVerdictIsBlindAndSaysWhy() {
        Verdict verdict = verdict(new Database(rooms.database().dataSource(), new Schema("elsewhere")));

        assertThat(verdict.status()).isEqualTo(Status.BLIND);
        assertThat(verdict.reasons())
                .singleElement()
                .satisfies(reason -> assertThat(reason.cause()).contains("elsewhere.node"));
    }

    @Test
    void theWorstQueueComesFirst() {
        long node = rooms.node();
        rooms.execute("UPDATE rowlock.node SET queues = '{mail,other}', slots = '{10,10}'");
        rooms.ready(2);
        rooms.ready(List.of(Rooms.job("other", 0)));
        jobsHaveWaited("6 min");
        rooms.execute("UPDATE rowlock.depth SET oldest_at = oldest_at - interval '1 hour' WHERE queue = 'mail'");
        rooms.claim(node, 1);

        Verdict verdict = verdict();

        assertThat(verdict.status()).isEqualTo(Status.STUCK);
        assertThat(verdict.reasons()).extracting(Reason::queue).containsExactly("other", "mail");
    }

    private void jobsHaveWaited(String time) {
        rooms.execute("UPDATE rowlock.ready SET ready_at = ready_at - interval '%s'".formatted(time));
        new Measurements(rooms.database()).depth();
    }

    private Verdict verdict() {
        return verdict(rooms.database());
    }

    private Verdict verdict(Database database) {
        return new Examination(database, List.of(), new LateQueues(lateAfter), null, null).verdict();
    }

    private void isHealthy() {
        assertThat(verdict()).isEqualTo(new Verdict(Status.HEALTHY, List.of()));
        Examined.isSilent(rooms.database(), new LateQueues(lateAfter).check());
    }

    /** The one reason, of which the doctor says the same. */
    private Reason only(Status status) {
        Verdict verdict = verdict();
        assertThat(verdict.status()).as(verdict.toString()).isEqualTo(status);
        assertThat(verdict.reasons()).hasSize(1);
        Finding finding = Examined.only(rooms.database(), new LateQueues(lateAfter).check());
        assertThat(finding.cause()).isEqualTo(verdict.reasons().get(0).cause());
        assertThat(finding.status()).isEqualTo(status == Status.STUCK ? Finding.Status.FAIL : Finding.Status.WARN);
        return verdict.reasons().get(0);
    }
}
