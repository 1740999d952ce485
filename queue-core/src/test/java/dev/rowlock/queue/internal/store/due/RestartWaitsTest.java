package dev.rowlock.queue.internal.store.due;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.internal.store.admin.JobStatements;
import dev.rowlock.queue.internal.store.due.RestartWaits.Stretch;
import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.job.Due;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The rows are moved into the future: as if the clock had been set back. */
@PostgresTest(migrated = true)
class RestartWaitsTest {

    private static final Due IN_TEN_MINUTES = Due.after(Duration.ofMinutes(10));

    private final Rooms rooms;
    private final RestartWaits restart;

    RestartWaitsTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        restart = new RestartWaits(rooms.database());
    }

    @Test
    void waitsOfEveryKindBeginAnewOnceTheClockWasSetBack() {
        long delayed = rooms.waiting(IN_TEN_MINUTES);
        ClaimedJob retried = rooms.running();
        rooms.defer(retried.claim(), IN_TEN_MINUTES);
        long redriven = rooms.dead();
        new JobStatements(rooms.database()).redrive(redriven, null);
        clockIsSetBackBy("1 hour");

        Stretch stretch = restart.run(RestartWaits.FRONT, 100);

        assertThat(stretch.restarted()).isEqualTo(3);
        assertThat(stretch.end()).isNull();
        assertThat(stretch.nextDue()).isZero();
        assertThat(secondsToDue(delayed)).isCloseTo(600, within(60.0));
        assertThat(secondsToDue(retried.id())).isCloseTo(600, within(60.0));
        assertThat(secondsToDue(redriven)).isCloseTo(0, within(60.0));
        assertThat(restart.run(RestartWaits.FRONT, 100).restarted()).isZero();
    }

    @Test
    void anExplicitDueTimeStays() {
        long scheduled = rooms.waiting(Due.at(Instant.now().plus(Duration.ofHours(3))));
        ClaimedJob later = rooms.running();
        rooms.defer(later.claim(), Due.at(Instant.now().plus(Duration.ofHours(3))));
        rooms.execute(
                "UPDATE rowlock.waiting SET since = since + interval '1 hour', enqueued_at = enqueued_at + interval '1 hour'");

        assertThat(restart.run(RestartWaits.FRONT, 100).restarted()).isZero();

        assertThat(secondsToDue(scheduled)).isCloseTo(10_800, within(60.0));
        assertThat(secondsToDue(later.id())).isCloseTo(10_800, within(60.0));
    }

    @Test
    void waitsThatBeganBeforeNowStayAsTheyAre() {
        long fresh = rooms.waiting(IN_TEN_MINUTES);
        long old = rooms.waiting(Due.after(Duration.ofHours(5)));
        rooms.execute(
                "UPDATE rowlock.waiting SET since = since - interval '2 hours', due_at = due_at - interval '2 hours' WHERE id = "
                        + old);

        assertThat(restart.run(RestartWaits.FRONT, 100).restarted()).isZero();

        assertThat(secondsToDue(fresh)).isCloseTo(600, within(60.0));
        assertThat(secondsToDue(old)).isCloseTo(10_800, within(60.0));
    }

    @Test
    void aWalkInStretchesReachesEachWaitOnce() {
        for (int i = 0; i < 25; i++) {
            rooms.waiting(IN_TEN_MINUTES);
        }
        clockIsSetBackBy("1 day");

        List<Integer> restarted = new ArrayList<>();
        Long behind = RestartWaits.FRONT;
        while (behind != null) {
            Stretch stretch = restart.run(behind, 10);
            restarted.add(stretch.restarted());
            behind = stretch.end();
        }

        assertThat(restarted).containsExactly(10, 10, 5);
    }

    private void clockIsSetBackBy(String interval) {
        rooms.execute("UPDATE rowlock.waiting SET since = since + interval '%1$s', due_at = due_at + interval '%1$s'"
                .formatted(interval));
    }

    private double secondsToDue(long id) {
        return rooms.sql("SELECT date_part('epoch', due_at - clock_timestamp()) FROM rowlock.waiting WHERE id = ?")
                .param(id)
                .query(Double.class)
                .single();
    }
}
