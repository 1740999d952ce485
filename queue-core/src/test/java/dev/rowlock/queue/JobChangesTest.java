package dev.rowlock.queue;

import static dev.rowlock.queue.operate.ChangeResult.ALREADY_ENDED;
import static dev.rowlock.queue.operate.ChangeResult.CHANGED;
import static dev.rowlock.queue.operate.ChangeResult.NOT_FOUND;
import static dev.rowlock.queue.operate.ChangeResult.RUNNING;
import static dev.rowlock.queue.operate.ChangeResult.UNCHANGED;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.OpenTransaction;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.run.ClaimStatements;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.operate.ChangeResult;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** What an operator does to one job. */
@PostgresTest(migrated = true)
class JobChangesTest {

    /** The payload of the jobs here. */
    record Mail(String to, List<String> copies) {}

    private static final Duration DAY = Duration.ofDays(1);

    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobAdmin admin;
    private final TransactionTemplate transaction;

    JobChangesTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        admin = FrontDoors.admin(rooms.database(), wakeups, type -> type.equals("send") ? Mail.class : null);
        transaction = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()));
    }

    // What all have in common

    static Stream<BiFunction<JobAdmin, Long, ChangeResult>> changes() {
        return Stream.of(
                JobAdmin::runNow,
                (admin, id) -> admin.reschedule(id, DAY),
                (admin, id) -> admin.reschedule(id, Instant.parse("2040-01-01T00:00:00Z")),
                (admin, id) -> admin.changePriority(id, 5),
                (admin, id) -> admin.editPayload(id, "{\"to\":\"b\"}"));
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aRunningOrEndedJobIsLeftAsItIs(BiFunction<JobAdmin, Long, ChangeResult> change) {
        ClaimedJob running = rooms.running();
        long done = rooms.complete(rooms.running(), true);
        List<?> before = rooms.everything();

        assertThat(change.apply(admin, running.id())).isEqualTo(RUNNING);
        assertThat(change.apply(admin, done)).isEqualTo(ALREADY_ENDED);
        assertThat(change.apply(admin, Long.MAX_VALUE)).isEqualTo(NOT_FOUND);

        assertThat(rooms.everything()).isEqualTo(before);
        assertThat(wakeups.heard()).isEmpty();
        assertThat(rooms.count("audit")).isZero();
    }

    @ParameterizedTest
    @MethodSource("changes")
    void aChangeRollsBackWithItsTransaction(BiFunction<JobAdmin, Long, ChangeResult> change) {
        long waiting = rooms.waiting(Due.after(DAY));
        List<?> before = rooms.everything();

        transaction.executeWithoutResult(status -> {
            assertThat(change.apply(admin, waiting)).isEqualTo(CHANGED);
            status.setRollbackOnly();
        });

        assertThat(rooms.everything()).isEqualTo(before);
        assertThat(wakeups.heard()).isEmpty();
    }

    static Stream<BiFunction<JobAdmin, Long, ChangeResult>> changesOfReadyJobs() {
        return changes().skip(1);
    }

    @ParameterizedTest
    @MethodSource("changesOfReadyJobs")
    void aChangeThatAClaimHasOvertakenChangesNothing(BiFunction<JobAdmin, Long, ChangeResult> change) throws Exception {
        long id = rooms.ready();
        long node = rooms.node();
        String before = rooms.look(id).get("payload").toString();

        CompletableFuture<ChangeResult> result;
        try (OpenTransaction claiming = new OpenTransaction(rooms.database())) {
            new ClaimReadyJobs(claiming.database()).run(Rooms.QUEUE, QueueRange.ALL, 1, node, null);
            result = CompletableFuture.supplyAsync(() -> change.apply(admin, id));
            rooms.awaitBlocked();
            claiming.commit();
        }

        assertThat(result.join()).isEqualTo(RUNNING);
        assertThat(rooms.roomsOf(id)).containsExactly("running");
        assertThat(rooms.look(id)).containsEntry("priority", 0);
        assertThat(rooms.look(id).get("payload").toString()).isEqualTo(before);
    }

    @Test
    void aJobThatIsBeingChangedIsNotClaimed() throws Exception {
        long id = rooms.ready();
        long node = rooms.node();

        List<ClaimedJob> claimed;
        try (OpenTransaction editing = new OpenTransaction(rooms.database())) {
            FrontDoors.admin(editing.database(), wakeups).editPayloadUnchecked(id, "{\"to\": \"b@example.org\"}");
            claimed = rooms.claim(node, 10);
            editing.commit();
        }
        ClaimedJob later = rooms.claim(node, 10).get(0);

        assertThat(claimed).isEmpty();
        assertThat(later.payload()).isEqualTo("{\"to\": \"b@example.org\"}");
    }

    // Run now

    @Test
    void aWaitingJobRunsNowAndNodesHearOfIt() {
        long id = rooms.waiting(Due.after(DAY));

        assertThat(admin.runNow(id)).isEqualTo(CHANGED);

        assertThat(rooms.claim(rooms.node(), 1)).extracting(ClaimedJob::id).containsExactly(id);
        assertThat(wakeups.heard()).containsExactly("1 ready in mail from rank 0", "keys in mail");
    }

    @Test
    void aReadyJobNeedsNoPushAndADeadOneIsForTheRedrive() {
        assertThat(admin.runNow(rooms.ready())).isEqualTo(UNCHANGED);
        assertThat(admin.runNow(rooms.dead())).isEqualTo(ALREADY_ENDED);
    }

    // Reschedule

    @Test
    void aWaitingJobIsPutOffOrBroughtForward() {
        long id = rooms.waiting(Due.after(DAY));

        assertThat(admin.reschedule(id, Instant.parse("2040-01-01T00:00:00Z"))).isEqualTo(CHANGED);

        assertThat(rooms.truth("SELECT due_at = '2040-01-01T00:00:00Z' FROM rowlock.waiting"))
                .isTrue();
        assertThat(wakeups.heard()).containsExactly("waiting PT0S");
    }

    @Test
    void aReadyJobWaitsAgainAndKeepsItsAttempts() {
        ClaimedJob job = rooms.running();
        rooms.defer(job.claim(), Due.after(DAY));
        rooms.execute("UPDATE rowlock.waiting SET attempt = 3, crashes = 1, rank = -4");
        admin.runNow(job.id());

        assertThat(admin.reschedule(job.id(), Duration.ofHours(1))).isEqualTo(CHANGED);

        assertThat(rooms.roomsOf(job.id())).containsExactly("waiting");
        assertThat(rooms.look(job.id()))
                .containsEntry("attempt", 3)
                .containsEntry("crashes", 1)
                .containsEntry("priority", 4)
                .containsEntry("reason", "scheduled");
        assertThat(
                        rooms.truth(
                                "SELECT due_at BETWEEN now() + interval '59 min' AND now() + interval '1 h' FROM rowlock.waiting"))
                .isTrue();
    }

    @Test
    void aTimeThatNobodyMeansIsRefused() {
        long id = rooms.ready();

        assertThatThrownBy(() -> admin.reschedule(id, Duration.ofSeconds(-1)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("must lie between 0 and");
        assertThatThrownBy(() -> admin.reschedule(id, Instant.MAX)).isInstanceOf(IllegalArgumentException.class);
        assertThat(rooms.roomsOf(id)).containsExactly("ready");
    }

    // Priority

    @Test
    void anUrgentJobOvertakesOthersAndNodesLookForItFromTheFront() {
        long[] ids = rooms.ready(3);

        assertThat(admin.changePriority(ids[2], 10)).isEqualTo(CHANGED);

        assertThat(rooms.claim(rooms.node(), 3)).extracting(ClaimedJob::id).containsExactly(ids[2], ids[0], ids[1]);
        assertThat(wakeups.heard()).containsExactly("1 back in mail from rank -10", "keys in mail");
    }

    @Test
    void thePriorityOfWaitingAndDeadJobsCountsWhenTheyRun() {
        long waiting = rooms.waiting(Due.after(DAY));
        long dead = rooms.dead();

        assertThat(admin.changePriority(waiting, -3)).isEqualTo(CHANGED);
        assertThat(admin.changePriority(dead, 4)).isEqualTo(CHANGED);

        assertThat(rooms.look(waiting)).containsEntry("priority", -3);
        assertThat(rooms.look(dead)).containsEntry("priority", 4);
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void aPriorityOutOfRangeIsRefused() {
        long id = rooms.ready();

        assertThatThrownBy(() -> admin.changePriority(id, 1_001))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001");
    }

    // Payload

    @Test
    void aPayloadIsReplacedWhereverTheJobIsAndNoNodeHasIt() {
        String json = "{\"to\":\"b@example.org\",\"copies\":[]}";

        assertThat(List.of(rooms.dead(), rooms.ready(), rooms.waiting(Due.after(DAY))))
                .allSatisfy(id -> {
                    assertThat(admin.editPayload(id, json)).isEqualTo(CHANGED);
                    assertThat(rooms.look(id).get("payload").toString()).isEqualTo(json);
                });
    }

    @Test
    void aPayloadThatTheListenerCouldNotReadIsRefused() {
        long id = rooms.ready();
        List<?> before = rooms.everything();

        assertThatThrownBy(() -> admin.editPayload(id, "[1]")).isInstanceOf(PayloadException.class);
        assertThatThrownBy(() -> admin.editPayload(id, "{\"to\": \"secret\""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no JSON document")
                .hasMessageNotContaining("secret");
        assertThatThrownBy(() -> admin.editPayload(id, "null")).hasMessageContaining("JSON null");
        assertThatThrownBy(() -> admin.editPayloadUnchecked(id, "{} {}")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> admin.editPayload(id, "\"" + "x".repeat(1 << 20) + "\""))
                .hasMessageContaining("larger than the allowed 1048576");
        assertThat(rooms.everything()).isEqualTo(before);
    }

    @Test
    void aFieldThatThePayloadsClassDoesNotKeepIsNamed() {
        long id = rooms.ready();

        assertThatThrownBy(() -> admin.editPayload(id, "{\"tu\": \"secret\", \"copies\": []}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("$.tu")
                .hasMessageNotContaining("secret");
        assertThat(admin.editPayloadUnchecked(id, "{\"tu\": 1}")).isEqualTo(CHANGED);
    }

    @Test
    void aTypeThatNoListenerHereHasIsEditedOnlyUnchecked() {
        long id = rooms.ready();
        rooms.execute("UPDATE rowlock.ready SET type = 'print'");

        assertThatThrownBy(() -> admin.editPayload(id, "{}"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no listener of this application has the type 'print'");
        assertThat(admin.editPayloadUnchecked(id, "{}")).isEqualTo(CHANGED);
    }

    @Test
    void aPayloadBecomesLargeAndSmallAgain() {
        long id = rooms.ready();
        String large = Rooms.largePayload(20_000);

        admin.editPayloadUnchecked(id, large);
        assertThat(rooms.number("SELECT bytes FROM rowlock.payload WHERE job_id = " + id))
                .isEqualTo(20_000);
        assertThat(rooms.truth("SELECT payload IS NULL FROM rowlock.ready")).isTrue();
        admin.editPayloadUnchecked(id, Rooms.largePayload(30_000));
        assertThat(rooms.look(id).get("payload").toString()).hasSize(30_000);
        ClaimedJob claimed = rooms.claim(rooms.node(), 1).get(0);
        assertThat(new ClaimStatements(rooms.database())
                        .payload(claimed.claim())
                        .orElseThrow())
                .hasSize(30_000);

        long other = rooms.large(1, 20_000)[0];
        admin.editPayloadUnchecked(other, "{}");

        assertThat(rooms.look(other).get("payload").toString()).isEqualTo("{}");
        assertThat(rooms.number("SELECT count(*) FROM rowlock.payload WHERE job_id = " + other))
                .isZero();
    }
}
