package dev.rowlock.queue.internal.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.chore.TestOwnNode;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** When the sweep rests, and for how long: each look at the clock takes a millisecond, and nothing else takes time. */
@PostgresTest(freshPerTest = true, migrated = true)
class SweepTest {

    private static final Duration INTERVAL = Duration.ofSeconds(10);

    /** More than the stretches of a walk through one workflow. */
    private static final int ENOUGH = 20;

    private final TestDatabase test;
    private final Rooms rooms;
    private final Progress progress;
    private final Sweep sweep;
    private long now; // nanoseconds

    SweepTest(TestDatabase test) {
        this.test = test;
        this.rooms = Rooms.emptyIn(test);
        this.progress = new Progress(rooms.database(), new WakeupBus(Wakeups.NONE));
        this.sweep = new Sweep(rooms.database(), progress, new TestOwnNode(1), () -> now += 1_000_000);
        rooms.execute("INSERT INTO rowlock.workflow (id, name) VALUES (7, 'w')");
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                VALUES (7, 0, 'first', 'released', false)
                """);
    }

    /** Runs it whenever it is due, until it has walked through everything. Returns its rests, the one behind the walk last. */
    private List<Duration> walk() {
        List<Duration> rests = new ArrayList<>();
        do {
            rests.add(sweep.runOnce());
            now += last(rests).toNanos();
        } while (last(rests).compareTo(INTERVAL) < 0 && rests.size() < ENOUGH);
        return rests;
    }

    private static Duration last(List<Duration> rests) {
        return rests.get(rests.size() - 1);
    }

    @Test
    void itRestsBehindEachStretchAsLongAsNobodySaysThatThereIsSomethingToFind() {
        List<Duration> rests = walk();

        assertThat(rests)
                .hasSizeBetween(3, ENOUGH - 1)
                .allSatisfy(rest -> assertThat(rest).isPositive());
        assertThat(last(rests)).isEqualTo(INTERVAL);
    }

    @Test
    void whenSomebodySaysSoBetweenWalksItWalksWithoutARest() {
        walk();
        sweep.changed();

        List<Duration> rests = walk();

        assertThat(rests.subList(0, rests.size() - 1)).isNotEmpty().containsOnly(Duration.ZERO);
        assertThat(last(rests)).isEqualTo(INTERVAL);
    }

    /** Rests are a little longer than it says, so that nodes do not sweep together. */
    @Test
    void itHurriesAlsoIfThatIsSaidWhenItWasAboutToWalk() {
        walk();
        now += Duration.ofSeconds(1).toNanos();
        sweep.changed();

        List<Duration> rests = walk();

        assertThat(rests.subList(0, rests.size() - 1)).isNotEmpty().containsOnly(Duration.ZERO);
    }

    @Test
    void whatWasSaidBeforeAFailureIsNotForgotten() {
        rooms.execute("ALTER TABLE rowlock.workflow_job RENAME TO hidden");
        sweep.changed();
        assertThatThrownBy(sweep::runOnce).isInstanceOf(DataAccessException.class);
        rooms.execute("ALTER TABLE rowlock.hidden RENAME TO workflow_job");

        List<Duration> rests = walk();

        assertThat(rests.subList(0, rests.size() - 1)).isNotEmpty().containsOnly(Duration.ZERO);
    }

    @Test
    void whenSomebodySaysSoDuringAWalkItHurriesAndWalksOnceMore() {
        Duration first = sweep.runOnce();
        assertThat(first).isPositive();
        cancelledByHand(); // behind the place where the walk is
        sweep.changed();
        List<Duration> rests = new ArrayList<>(List.of(sweep.runOnce()));

        rests.addAll(walk());

        assertThat(rests.subList(0, rests.size() - 1)).hasSize(4).containsOnly(Duration.ZERO); // of two walks
        assertThat(last(rests)).isGreaterThanOrEqualTo(INTERVAL);
        assertThat(state()).isEqualTo("failed");
        assertThat(walk().get(0)).as("the next walk is as the first").isPositive();
    }

    @Test
    void itHurriesWhenSomebodyHasChangedSomethingButNotWheneverANodeStarts() {
        assertThat(sweep.dueAfterChange()).isTrue();
        assertThat(sweep.dueAfterConnect()).isFalse();
    }

    /** A job that has ended, which nobody has told. */
    private void cancelledByHand() {
        rooms.execute("INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no) VALUES (70, 7, 0)");
        rooms.execute("""
                INSERT INTO rowlock.done (id, enqueued_at, rank, attempt, crashes, max_retries, queue, type, payload, finished_at, state)
                VALUES (70, now(), 0, 1, 0, 0, 'q', 't', '{}', now(), 'cancelled')
                """);
    }

    private String state() {
        return JdbcClient.create(test.dataSource())
                .sql("SELECT state FROM rowlock.workflow")
                .query(String.class)
                .single();
    }

    @Test
    void itSaysHowLongAgoTheWalkBeganThatItLastCompleted() {
        now += Duration.ofMinutes(1).toNanos();
        assertThat(sweep.behind().orElseThrow()).isBetween(Duration.ofSeconds(60), Duration.ofSeconds(61));

        walk();
        assertThat(sweep.behind().orElseThrow()).isBetween(INTERVAL, INTERVAL.plusSeconds(5));

        sweep.runOnce();
        now += Duration.ofMinutes(1).toNanos();
        assertThat(sweep.behind().orElseThrow()).as("it has begun another one").isGreaterThan(Duration.ofMinutes(1));
    }

    /** As many as one look finds. */
    @LongRunning
    @Test
    void stepsThatCannotGoOnKeepNoLaterOneFromBeingFound() {
        rooms.execute("ALTER TABLE rowlock.ready ADD CONSTRAINT refused CHECK (queue <> 'refused')");
        rooms.execute("""
                INSERT INTO rowlock.workflow_step (workflow_id, step_no, name, state, accepts)
                SELECT 7, i, 's' || i, 'releasing', false FROM generate_series(1, 1001) AS i
                """);
        rooms.execute("""
                INSERT INTO rowlock.workflow_job (job_id, workflow_id, step_no)
                SELECT 1000 + i, 7, i FROM generate_series(1, 1001) AS i
                """);
        rooms.execute("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, attempt, crashes, max_retries, reason, queue, type, payload)
                SELECT 1000 + i, '2255-01-01Z', now(), 0, 0, 0, 0, 'parents', CASE WHEN i < 1001 THEN 'refused' ELSE 'mail' END, 't', '{}'
                  FROM generate_series(1, 1001) AS i
                """);

        walk();
        boolean more = true;
        while (more) {
            more = progress.round();
        }

        assertThat(rooms.roomsOf(2001)).containsExactly("ready");
        assertThat(rooms.count("workflow_step WHERE state = 'releasing'")).isEqualTo(1_000);
    }
}
