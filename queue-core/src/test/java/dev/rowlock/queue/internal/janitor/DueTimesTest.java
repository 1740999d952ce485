package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class DueTimesTest {

    private static final long NOW = Long.MAX_VALUE - 5; // a monotonic clock may overflow
    private static final int THIRD = 2;

    private final DueTimes times = new DueTimes(NOW);

    @Test
    void aNodeLooksAtOnceWhenItStartsAndThenFromTimeToTime() {
        assertThat(left(0, THIRD)).isZero();

        look(0, null, 5_000);

        assertThat(left(0, THIRD)).isEqualTo(5_000);
        assertThat(left(5_001, THIRD)).isEqualTo(-1);
    }

    @Test
    void aNodeLooksAtOnceForADueJobThatOnlyItKnows() {
        look(0, null, 5_000);

        times.dueHere(at(300));
        times.dueHere(at(400));

        assertThat(left(100, THIRD)).isEqualTo(200);
    }

    @Test
    void nodesLookOneAfterTheOtherForAJobThatAllKnow() {
        look(0, 1_000L, 5_000);
        assertThat(left(0, 0)).isEqualTo(1_000);
        assertThat(left(0, THIRD)).isEqualTo(1_020);

        times.dueForAll(at(700));
        assertThat(left(0, 0)).isEqualTo(700);
        assertThat(left(0, THIRD)).isEqualTo(720);
    }

    @Test
    void aNodeNeedNotLookForJobsThatAnotherHasMoved() {
        look(0, 1_000L, 5_000);

        moved(1_005, 800L);
        assertThat(left(1_005, 0)).isEqualTo(800);

        moved(1_805, null);
        assertThat(left(1_805, 0)).as("only the poll is left").isEqualTo(3_195);
    }

    @Test
    void aJobThatIsNotDueYetDoesNotCountAsMoved() {
        look(0, null, 5_000);
        times.dueForAll(at(1_000));
        times.dueHere(at(1_200));

        moved(990, 3_000L);
        assertThat(left(990, 0)).isEqualTo(10);

        moved(1_001, 3_000L);
        assertThat(left(1_001, 0)).as("known to nobody else").isEqualTo(199);
    }

    @Test
    void aJobHeardOfDuringALookIsNotForgotten() {
        DueTimes.Look look = times.looking(at(0));
        times.dueHere(at(1));
        times.dueForAll(at(2));
        times.looked(look, at(10), null, Duration.ofMillis(5_000), false);
        assertThat(left(10, THIRD)).isEqualTo(-9);

        look(20, null, 5_000);
        assertThat(left(20, THIRD)).isEqualTo(5_000);
    }

    @Test
    void aNodeReliesOnOthersForWhatItHearsOfAfterAllHaveHeardOfItsLook() {
        DueTimes.Look look = tell(0);
        times.allHaveHeardOf(look.number());
        times.dueForAll(at(100));

        times.movedElsewhere(at(110), null);

        assertThat(left(110, THIRD)).as("only the poll is left").isEqualTo(4_890);
    }

    @Test
    void aNodeWhoseLookHasFailedLooksAgain() {
        look(0, null, 5_000);
        times.dueForAll(at(100));
        times.looking(at(110));

        times.failed(at(110));
        times.movedElsewhere(at(120), null);

        assertThat(left(120, THIRD)).isEqualTo(-10);
    }

    @Test
    void whatOthersSayIsDueNextCounts() {
        look(0, null, 5_000);

        times.movedElsewhere(at(110), Duration.ofMillis(300));

        assertThat(left(110, 0)).isEqualTo(300);
    }

    @Test
    void aJobDueWhenALookBeginsNeedsNoOtherLook() {
        look(0, null, 5_000);
        times.dueHere(at(300));

        look(300, null, 5_000);

        assertThat(left(300, THIRD)).isEqualTo(5_000);
    }

    @Test
    void aLookForAJobThatAllHaveHeardOfIsForAll() {
        look(0, null, 5_000);
        times.dueHere(at(100));
        assertThat(look(100, 200L, 5_000).forAll()).as("known here only").isFalse();

        assertThat(look(299, 1L, 5_000).forAll()).as("not due yet").isFalse();

        assertThat(look(300, null, 5_000).forAll()).isTrue();
    }

    private DueTimes.Look look(long millis, @Nullable Long nextDue, long rest) {
        DueTimes.Look look = times.looking(at(millis));
        times.looked(
                look, at(millis), nextDue == null ? null : Duration.ofMillis(nextDue), Duration.ofMillis(rest), false);
        return look;
    }

    /** Looks, finds that nothing more waits, and will tell others so. */
    private DueTimes.Look tell(long millis) {
        DueTimes.Look look = times.looking(at(millis));
        times.looked(look, at(millis), null, Duration.ofMillis(5_000 - millis), true);
        return look;
    }

    private void moved(long millis, @Nullable Long nextDue) {
        times.movedElsewhere(at(millis), nextDue == null ? null : Duration.ofMillis(nextDue));
    }

    private long left(long millis, int number) {
        return times.left(at(millis), number).toMillis();
    }

    private static long at(long millis) {
        return NOW + Duration.ofMillis(millis).toNanos();
    }
}
