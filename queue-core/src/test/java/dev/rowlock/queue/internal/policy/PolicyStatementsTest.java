package dev.rowlock.queue.internal.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.claim.ClaimReadyJobs;
import dev.rowlock.queue.internal.claim.QueueRange;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.enqueue.NewJob;
import dev.rowlock.queue.internal.policy.PolicyStatements.Page;
import dev.rowlock.queue.internal.policy.PolicyStatements.WaitingPosition;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Jobs of a queue with a policy, from ready to waiting and back. */
@PostgresTest(migrated = true)
class PolicyStatementsTest {

    private static final Duration HOLD = Duration.ofSeconds(10);

    private final Rooms rooms;
    private final PolicyStatements policies;
    private long node;

    PolicyStatementsTest(TestDatabase database) {
        this.rooms = Rooms.emptyIn(database);
        this.policies = new PolicyStatements(rooms.database());
    }

    @BeforeEach
    void decide() {
        rooms.clear();
        node = rooms.node();
        policies.take(Rooms.QUEUE, node, Duration.ofSeconds(3));
        policies.admit(Rooms.QUEUE, node, List.of(), HOLD);
    }

    @Test
    void heldJobsAreShownInTheirOrderAndChosenOnesComeBackInThatOfThePolicy() {
        long low = rooms.ready(List.of(Rooms.job(Rooms.QUEUE, 5)))[0];
        long[] ids = rooms.ready(3);
        long keyed = rooms.ready(List.of(keyed("a")))[0];

        assertThat(policies.hold(Rooms.QUEUE, 100)).isEqualTo(5);

        assertThat(rooms.count("ready")).isZero();
        assertThat(shown()).containsExactly(ids[0], ids[1], ids[2], keyed, low);
        assertThat(policies.admit(Rooms.QUEUE, node, List.of(ids[2], ids[0]), HOLD)
                        .jobs())
                .isEqualTo(2);
        assertThat(rooms.sql("SELECT id FROM rowlock.ready ORDER BY rank, ready_at, id")
                        .query(Long.class)
                        .list())
                .containsExactly(ids[2], ids[0]);
        assertThat(shown()).containsExactly(ids[1], keyed, low);
        assertThat(policies.hold(Rooms.QUEUE, 100)).isZero();
    }

    @Test
    void furtherTriesDoNotHideSinceWhenThereIsNoAnswer() {
        rooms.execute("UPDATE rowlock.policy SET decides_until = clock_timestamp() - interval '5 min'");

        assertThat(policies.take(Rooms.QUEUE, node, Duration.ofSeconds(3))).isTrue();

        assertThat(
                        rooms.number(
                                "SELECT count(*) FROM rowlock.policy WHERE decides_until < clock_timestamp() - interval '5 min'"))
                .isOne();
    }

    @Test
    void aLookMayBeginBehindWhatIsPaused() {
        rooms.ready(3);
        rooms.execute("UPDATE rowlock.ready SET type = 'paused'");
        rooms.execute(
                "INSERT INTO rowlock.pause (kind, name, paused_at, who) VALUES ('type', 'paused', now(), 'test')");
        long[] ids = rooms.ready(2);
        policies.hold(Rooms.QUEUE, 100);

        Page fromFront = policies.page(Rooms.QUEUE, WaitingPosition.FRONT);
        Page behind = policies.page(Rooms.QUEUE, fromFront.before());

        assertThat(fromFront.jobs()).extracting(WaitingJob::id).containsExactly(ids[0], ids[1]);
        assertThat(behind).usingRecursiveComparison().ignoringFields("now").isEqualTo(fromFront);
        rooms.execute("DELETE FROM rowlock.pause");
        assertThat(policies.page(Rooms.QUEUE, fromFront.before()).jobs()).hasSize(2); // they stand before
        assertThat(shown()).hasSize(5);
    }

    @Test
    void aJobThatIsClaimedWithoutAMarkIsHeldAndItsAttemptDoesNotCount() {
        long id = rooms.ready();

        List<ClaimedJob> claimed = claim();
        Set<Long> over = policies.holdClaimed(Rooms.QUEUE, claims(claimed));

        assertThat(over).containsExactly(claimed.get(0).claim().token());
        assertThat(rooms.count("running")).isZero();
        assertThat(shown()).containsExactly(id);
        policies.admit(Rooms.QUEUE, node, List.of(id), HOLD);
        List<ClaimedJob> again = claim();
        assertThat(again.get(0).attempt()).isEqualTo(1);
        assertThat(policies.holdClaimed(Rooms.QUEUE, claims(again))).isEmpty();
        assertThat(rooms.count("running")).isEqualTo(1);
        assertThat(rooms.count("admitted_job")).isZero();
    }

    @Test
    void aClaimThatWasLostMeanwhileIsNotTouched() {
        rooms.ready();
        List<ClaimedJob> claimed = claim();
        Claim lost =
                new Claim(claimed.get(0).claim().jobId(), claimed.get(0).claim().token() - 1);

        assertThat(policies.holdClaimed(Rooms.QUEUE, List.of(lost))).isEmpty();

        assertThat(rooms.count("running")).isEqualTo(1);
        assertThat(rooms.count("held_job")).isZero();
    }

    @Test
    void onceThePolicyDoesNotDecideNothingIsHeldAndWhatIsHeldGoes() {
        long[] ids = rooms.ready(3);
        policies.hold(Rooms.QUEUE, 100);
        assertThat(policies.letGo(Rooms.QUEUE, 100, List.of()).jobs()).isZero();

        lapse();

        assertThat(policies.letGo(Rooms.QUEUE, 2, List.of()).jobs()).isEqualTo(2);
        assertThat(policies.letGo(Rooms.QUEUE, 2, List.of()).jobs()).isEqualTo(1);
        assertThat(rooms.count("held_job")).isZero();
        assertThat(rooms.count("waiting")).isZero();
        assertThat(policies.hold(Rooms.QUEUE, 100)).isZero();
        List<ClaimedJob> claimed = claim();
        assertThat(policies.holdClaimed(Rooms.QUEUE, claims(claimed))).isEmpty();
        assertThat(claimed.stream().map(job -> job.claim().jobId())).containsExactly(ids[0], ids[1], ids[2]);
    }

    @Test
    void wherePoliciesAreNotKnownHeldJobsAreDueInAnHour() {
        rooms.ready();
        policies.hold(Rooms.QUEUE, 100);

        assertThat(rooms.sql(
                                "SELECT due_at - statement_timestamp() BETWEEN interval '59 min' AND interval '1 h' FROM rowlock.waiting")
                        .query(Boolean.class)
                        .single())
                .isTrue();
    }

    @Test
    void aJobThatSomebodyGaveAnotherDueTimeIsNotChosenBeforeIt() {
        long id = rooms.ready();
        policies.hold(Rooms.QUEUE, 100);
        rooms.execute("UPDATE rowlock.waiting SET due_at = due_at + interval '1 day'");

        assertThat(policies.admit(Rooms.QUEUE, node, List.of(id), HOLD).jobs()).isZero();
        assertThat(shown()).isEmpty();

        assertThat(rooms.count("held_job")).isZero();
        assertThat(rooms.count("waiting")).isEqualTo(1);
    }

    @Test
    void aNodeThatDoesNotAskThePolicyAnyMoreAdmitsNothing() {
        long id = rooms.ready();
        policies.hold(Rooms.QUEUE, 100);
        long other = rooms.node();
        assertThat(policies.take(Rooms.QUEUE, other, Duration.ofSeconds(3))).isFalse();
        rooms.execute("DELETE FROM rowlock.node WHERE id = " + node);
        assertThat(policies.take(Rooms.QUEUE, other, Duration.ofSeconds(3))).isTrue();

        assertThat(policies.admit(Rooms.QUEUE, node, List.of(id), HOLD).own()).isFalse();

        assertThat(rooms.count("ready")).isZero();
        assertThat(policies.admit(Rooms.QUEUE, other, List.of(id), HOLD).jobs()).isEqualTo(1);
    }

    @Test
    void aChosenJobThatNobodyClaimsIsShownAgainBehindTheOthers() {
        long[] ids = rooms.ready(2);
        policies.hold(Rooms.QUEUE, 100);
        policies.admit(Rooms.QUEUE, node, List.of(ids[0]), HOLD);
        assertThat(policies.takeBack(Rooms.QUEUE, Duration.ofSeconds(1), 100)).isZero();

        assertThat(policies.takeBack(Rooms.QUEUE, Duration.ZERO, 100)).isEqualTo(1);
        policies.hold(Rooms.QUEUE, 100);

        assertThat(shown()).containsExactly(ids[1], ids[0]);
    }

    @Test
    void whereKeysAreInOrderThePolicyDoesNotDecide() {
        rooms.ready();
        rooms.execute("INSERT INTO rowlock.queue_limit (queue, in_order) VALUES ('mail', 'hold')");

        assertThat(policies.hold(Rooms.QUEUE, 100)).isZero();
        assertThat(policies.standings()).noneMatch(PolicyStatements.Standing::decides);
    }

    @Test
    void aPolicyThatNobodyAsksIsForgottenOnceNoJobWaits() {
        rooms.ready();
        policies.hold(Rooms.QUEUE, 100);
        lapse();
        rooms.execute("UPDATE rowlock.policy SET asked_at = now() - interval '2 min'");
        assertThat(policies.forget()).isEmpty();
        policies.letGo(Rooms.QUEUE, 100, List.of());

        assertThat(policies.forget()).containsExactly(Rooms.QUEUE);
    }

    /** A job that it had chosen was claimed once it did not decide any more, when nobody asks for marks. */
    @Test
    void aPolicyThatNobodyAsksIsForgottenWithItsMarks() {
        long id = rooms.ready();
        policies.hold(Rooms.QUEUE, 100);
        policies.admit(Rooms.QUEUE, node, List.of(id), HOLD);
        lapse();
        claim();
        rooms.execute("UPDATE rowlock.policy SET asked_at = now() - interval '2 min'");

        assertThat(policies.forget()).containsExactly(Rooms.QUEUE);

        assertThat(rooms.count("admitted_job")).isZero();
        assertThat(policies.standings()).isEmpty();
    }

    @Test
    void aClockThatWasSetBackHoldsNobodyForLong() {
        rooms.ready();
        rooms.execute("UPDATE rowlock.policy SET decides_until = now() + interval '2 h'");

        assertThat(policies.hold(Rooms.QUEUE, 100)).isZero();
        assertThat(policies.standings()).noneMatch(PolicyStatements.Standing::decides);
    }

    /** Whatever comes in whichever order: no job is lost or twice, and what runs was chosen or the policy did not decide. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void noJobIsLostAndNothingRunsThatWasNotChosen(long seed) {
        Random random = new Random(seed);
        Set<Long> enqueued = new HashSet<>();
        Set<Long> ran = new HashSet<>();
        Set<Long> chosen = new HashSet<>();
        boolean decides = true;
        for (int step = 0; step < 150; step++) {
            switch (random.nextInt(8)) {
                case 0, 1 ->
                    Arrays.stream(rooms.ready(IntStream.range(0, 1 + random.nextInt(5))
                                    .mapToObj(i -> Rooms.job(Rooms.QUEUE, random.nextInt(3)))
                                    .toList()))
                            .forEach(enqueued::add);
                case 2 -> policies.hold(Rooms.QUEUE, 1 + random.nextInt(4));
                case 3, 4 -> {
                    List<Long> some =
                            shown().stream().filter(id -> random.nextBoolean()).toList();
                    // it answers, so from now on it decides
                    policies.admit(Rooms.QUEUE, node, some, HOLD);
                    chosen.addAll(some);
                    decides = true;
                }
                case 5, 6 -> {
                    List<ClaimedJob> claimed = claim();
                    Set<Long> over = policies.holdClaimed(Rooms.QUEUE, claims(claimed));
                    for (ClaimedJob job : claimed) {
                        if (!over.contains(job.claim().token())) {
                            long id = job.claim().jobId();
                            assertThat(ran.add(id)).as("job %d runs once", id).isTrue();
                            assertThat(!decides || chosen.contains(id))
                                    .as("job %d was chosen", id)
                                    .isTrue();
                        }
                    }
                }
                default -> {
                    if (random.nextInt(3) == 0) {
                        lapse();
                        decides = false;
                        policies.letGo(Rooms.QUEUE, 3, List.of());
                    }
                    policies.takeBack(Rooms.QUEUE, Duration.ZERO, random.nextInt(3));
                }
            }
            assertThat(rooms.count("ready") + rooms.count("waiting") + rooms.count("running"))
                    .as("jobs after step %d", step)
                    .isEqualTo(enqueued.size());
        }
        lapse();
        while (policies.letGo(Rooms.QUEUE, 100, List.of()).seen() > 0) {}
        claim().forEach(job -> ran.add(job.claim().jobId()));
        assertThat(ran).isEqualTo(enqueued);
    }

    private void lapse() {
        rooms.execute("UPDATE rowlock.policy SET decides_until = now() - interval '1 s'");
    }

    private List<Long> shown() {
        List<Long> all = new ArrayList<>();
        Page page = policies.page(Rooms.QUEUE, WaitingPosition.FRONT);
        page.jobs().stream().map(WaitingJob::id).forEach(all::add);
        return all;
    }

    private List<ClaimedJob> claim() {
        return new ArrayList<>(new ClaimReadyJobs(rooms.database())
                .run(Rooms.QUEUE, QueueRange.ALL, 99, node, null)
                .jobs());
    }

    private static List<Claim> claims(List<ClaimedJob> jobs) {
        return jobs.stream().map(ClaimedJob::claim).toList();
    }

    private static NewJob keyed(String key) {
        return new NewJob(Rooms.QUEUE, "send", 0, null, null, null, "{}", null, key, null);
    }

    @LongRunning
    @ParameterizedTest
    @ValueSource(longs = {3, 4, 5, 6})
    void noJobIsLostAndNothingRunsThatWasNotChosenWithOtherSeeds(long seed) {
        noJobIsLostAndNothingRunsThatWasNotChosen(seed);
    }
}
