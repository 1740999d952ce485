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
        times.looked(look, at(10), null, Duration.ofMillis(5_000));
        assertThat(left(10, THIRD)).isEqualTo(-9);

        look(20, null, 5_000);
        assertThat(left(20, THIRD)).isEqualTo(5_000);
    }

    @Test
    void nodesLookOneAfterTheOtherForAJobThatAllHearOfDuringALook() {
        DueTimes.Look look = times.looking(at(0));
        times.dueForAll(at(2));
        times.looked(look, at(10), null, Duration.ofMillis(5_000));

        assertThat(left(10, 0)).isEqualTo(-8);
        assertThat(left(10, THIRD)).isEqualTo(12);
    }

    @Test
    void aJobThatAllHearOfAfterAnotherNodeHasBegunToLookDoesNotCountAsMoved() {
        look(0, null, 5_000);
        heard(100, "before");
        heard(101, "after");

        times.movedElsewhere(at(110), null, "before");
        assertThat(left(110, 0)).isEqualTo(-9);

        times.movedElsewhere(at(111), null, "after");
        assertThat(left(111, 0)).as("only the poll is left").isEqualTo(4_889);
    }

    @Test
    void bothNodesLookForAJobThatNeitherHasSeenThoughEachTellsTheOtherThatItHasLooked() {
        DueTimes other = new DueTimes(at(0));
        DueTimes.Look ours = times.looking(at(0));
        DueTimes.Look theirs = other.looking(at(0));
        times.looked(ours, at(1), null, Duration.ofMillis(5_000));
        other.looked(theirs, at(1), null, Duration.ofMillis(5_000));

        times.dueForAll(at(2)); // committed by now
        times.heard("of it");
        other.dueForAll(at(3));
        other.heard("of it");
        times.movedElsewhere(at(4), null, theirs.message());
        other.movedElsewhere(at(5), null, ours.message());

        assertThat(left(5, 0)).isEqualTo(-3);
        assertThat(other.left(at(5), 1).toMillis()).isEqualTo(8);
    }

    @Test
    void whatTheServersClockSaysOfAJobStaysUntilSomebodyLooksWhoHadHeardOfIt() {
        heard(100, "of it");
        look(99, 1L, 5_000); // a moment too early
        assertThat(left(99, 0)).isEqualTo(1);

        times.movedElsewhere(at(101), null, null); // a look from before the job was committed
        assertThat(left(101, 0)).isEqualTo(-1);

        times.movedElsewhere(at(101), null, "of it");
        assertThat(left(101, 0)).as("only the poll is left").isEqualTo(4_998);
    }

    @Test
    void aNodeBelievesNobodyWhoDoesNotSayWhatHeHadHeard() {
        look(0, null, 5_000);
        heard(100, "of it");
        times.dueForAll(at(101)); // by a message without a name, as those of SQL and of the version before

        times.movedElsewhere(at(110), Duration.ofMillis(300), null);
        assertThat(left(110, 0)).isEqualTo(-10);

        times.movedElsewhere(at(110), null, "unknown");
        assertThat(left(110, 0)).isEqualTo(-10);

        times.movedElsewhere(at(110), null, "of it");
        assertThat(left(110, 0)).isEqualTo(-9);
    }

    @Test
    void whatOthersSayIsDueNextCounts() {
        look(0, null, 5_000);

        times.movedElsewhere(at(110), Duration.ofMillis(300), null);

        assertThat(left(110, 0)).isEqualTo(300);
    }

    @Test
    void aMessageWithoutAnythingToLookForTellsHowMuchANodeHasHeard() {
        look(0, null, 5_000);
        times.dueForAll(at(100)); // by a message without a name
        times.heard("our own");

        times.movedElsewhere(at(110), null, "our own");

        assertThat(left(110, 0)).as("only the poll is left").isEqualTo(4_890);
    }

    @Test
    void aLookSaysWhatWasHeardBeforeIt() {
        assertThat(times.looking(at(0)).message()).isNull();

        heard(100, "before");
        DueTimes.Look look = times.looking(at(200));
        heard(201, "after");

        assertThat(look.message()).isEqualTo("before");
    }

    @Test
    void manyTimesBecomeOneThatIsTheFirstOfThemAndKnownAsLittleAsTheLast() {
        look(0, null, 5_000);
        for (int i = 0; i <= AnnouncedTimes.MOST_TIMES; i++) {
            heard(100 + i, "m" + i);
        }
        assertThat(left(0, 0)).isEqualTo(100);

        times.movedElsewhere(at(110), null, "m" + (AnnouncedTimes.MOST_TIMES - 1));
        assertThat(left(110, 0)).isEqualTo(-10);

        times.movedElsewhere(at(110), null, "m" + AnnouncedTimes.MOST_TIMES);
        assertThat(left(110, 0)).as("only the poll is left").isEqualTo(4_890);
    }

    @Test
    void aMessageOfLongAgoIsForgotten() {
        look(0, null, 5_000);
        heard(100, "long ago");
        for (int i = 0; i < AnnouncedTimes.MOST_MESSAGES; i++) {
            times.heard("m" + i);
        }

        times.movedElsewhere(at(110), null, "long ago");

        assertThat(left(110, 0)).isEqualTo(-10);
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
        times.looked(look, at(millis), nextDue == null ? null : Duration.ofMillis(nextDue), Duration.ofMillis(rest));
        return look;
    }

    /** By a message that all hear. */
    private void heard(long due, String message) {
        times.dueForAll(at(due));
        times.heard(message);
    }

    /** Somebody has looked who had heard as much as we have now. */
    private void moved(long millis, @Nullable Long nextDue) {
        String all = "until " + millis;
        times.heard(all);
        times.movedElsewhere(at(millis), nextDue == null ? null : Duration.ofMillis(nextDue), all);
    }

    private long left(long millis, int number) {
        return times.left(at(millis), number).toMillis();
    }

    private static long at(long millis) {
        return NOW + Duration.ofMillis(millis).toNanos();
    }
}
