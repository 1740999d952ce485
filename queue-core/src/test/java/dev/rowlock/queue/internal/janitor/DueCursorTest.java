package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.janitor.DispatchDueJobs.Result;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DueCursorTest {

    private static final Duration COST = Duration.ofMillis(8);
    private static final long NOON = 1_000_000_000_000_000L; // the server's time, in microseconds

    private int nodes = 1;
    private long now = 500;
    private final DueCursor cursor = new DueCursor(() -> nodes, now);

    @Test
    void theCursorBeginsAtTheFrontAndGoesOnShortlyBeforeTheLastLook() {
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
        looked(NOON);

        assertThat(cursor.next(now)).isEqualTo(new DuePosition(NOON - 100_000, 0));
    }

    @Test
    void theCursorGoesOnBehindTheLastJobWhileThereAreMore() {
        cursor.next(now);
        DuePosition last = new DuePosition(NOON - 3_600_000_000L, 17);
        cursor.looked(result(NOON, last), true, now);

        assertThat(cursor.next(now)).isEqualTo(last);
    }

    @Test
    void aJobThatIsDueEarlierIsLookedForFromItsTimeOn() {
        lookFromTheFront();

        cursor.heard(now - Duration.ofMillis(70).toNanos());

        assertThat(cursor.next(now)).isEqualTo(new DuePosition(NOON - 170_000, 0));
        looked(NOON);
        assertThat(cursor.next(now)).as("and the next one not").isEqualTo(new DuePosition(NOON - 100_000, 0));
    }

    @Test
    void aJobHeardOfDuringALookIsLookedForByTheNext() {
        lookFromTheFront();

        cursor.next(now);
        cursor.heard(now - Duration.ofMillis(70).toNanos());
        looked(NOON + 1_000);

        assertThat(cursor.next(now)).isEqualTo(new DuePosition(NOON + 1_000 - 170_000, 0));
    }

    @Test
    void aJobDueLaterDoesNotMoveTheStartOfTheLook() {
        lookFromTheFront();

        cursor.heard(now + Duration.ofMinutes(1).toNanos());

        assertThat(cursor.next(now)).isEqualTo(new DuePosition(NOON - 100_000, 0));
    }

    @Test
    void looksFromTheFrontTakeATwentiethOfTheTimeOfAllNodes() {
        nodes = 3;
        lookFromTheFront();
        cursor.next(now);
        looked(NOON);

        assertThat(cursor.untilNextLook(now)).isEqualTo(COST.multipliedBy(59));
        now += COST.multipliedBy(59).toNanos() - 1;
        assertThat(cursor.next(now)).isNotEqualTo(DuePosition.FRONT);
        now++;
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
    }

    @Test
    void aLookFromTheFrontNeedsNoOtherAfterIt() {
        lookFromTheFront();

        assertThat(cursor.untilNextLook(now)).isGreaterThan(Duration.ofDays(1));
    }

    @Test
    void aNodeLooksForAPossiblyOverdueJobWithinItsOwnShare() {
        nodes = 3;
        lookFromTheFront();

        cursor.overdue();
        assertThat(cursor.next(now)).isNotEqualTo(DuePosition.FRONT);
        looked(NOON);

        assertThat(cursor.untilNextLook(now)).isEqualTo(COST.multipliedBy(19));
        now += COST.multipliedBy(19).toNanos();
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
    }

    @Test
    void aLookFromTheFrontComesOnceAMinuteHoweverMuchItCosts() {
        lookFromTheFront();
        now += Duration.ofMinutes(1).toNanos();
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
        cursor.looked(new Result(List.of(), null, null, at(NOON), Duration.ofHours(1)), false, now);
        cursor.next(now);
        looked(NOON + 3_600_000_000L);

        assertThat(cursor.untilNextLook(now)).isEqualTo(Duration.ofMinutes(1));
        now += Duration.ofMinutes(1).toNanos();
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
    }

    @Test
    void aCursorThatForgetsItsPlaceLooksFromTheFrontEvenIfItForgetsDuringALook() {
        lookFromTheFront();

        cursor.next(now);
        cursor.forget();
        looked(NOON);

        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
    }

    @ParameterizedTest
    @ValueSource(longs = {3_600_000_000L, 500_000})
    void theServersClockIsBelievedWhenItIsSetBackAndTheNextLookIsAtOnceFromTheFront(long micros) {
        lookFromTheFront();

        cursor.next(now);
        long setBack = NOON - micros;
        looked(setBack);

        assertThat(cursor.untilNextLook(now)).isZero();
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
        looked(setBack);
        assertThat(cursor.next(now)).isEqualTo(new DuePosition(setBack - 100_000, 0));
        assertThat(cursor.untilNextLook(now)).isPositive();
    }

    /** The time of the next look may lie behind that of the last one all the same. */
    @Test
    void aSmallStepBackWhileNobodyLooksIsNoticedToo() {
        nodes = 1_000; // so that the next look is not from the front by itself
        lookFromTheFront();

        now += Duration.ofSeconds(5).toNanos();
        cursor.next(now);
        looked(NOON + 2_000_000);

        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
    }

    @Test
    void aLookThatTakesLongIsNoStep() {
        nodes = 1_000; // so that the next look is not from the front by itself
        lookFromTheFront();

        now += Duration.ofSeconds(5).toNanos();
        cursor.next(now);
        cursor.looked(new Result(List.of(), null, null, at(NOON + 1_000_000), Duration.ofSeconds(4)), false, now);

        assertThat(cursor.next(now)).isEqualTo(new DuePosition(NOON + 1_000_000 - 100_000, 0));
    }

    private void lookFromTheFront() {
        assertThat(cursor.next(now)).isEqualTo(DuePosition.FRONT);
        looked(NOON);
    }

    private void looked(long server) {
        cursor.looked(result(server, null), false, now);
    }

    private static Result result(long server, @Nullable DuePosition last) {
        return new Result(List.of(), null, last, at(server), COST);
    }

    private static DuePosition at(long server) {
        return new DuePosition(server, Long.MAX_VALUE);
    }
}
