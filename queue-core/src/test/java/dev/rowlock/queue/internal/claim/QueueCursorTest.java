package dev.rowlock.queue.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class QueueCursorTest {

    private static final long NOON = Instant.parse("2026-11-20T12:00:00Z").getEpochSecond() * 1_000_000;
    private static final Duration MILLI = Duration.ofMillis(1);
    private static final QueuePosition FIFTH = new QueuePosition(0, NOON, 5);

    private int nodes = 1;
    private long now = 1_000;
    private final QueueCursor cursor = new QueueCursor(chance -> nodes, now);

    @Test
    void aBacklogIsReadFromWhereTheLastClaimEnded() {
        look(FIFTH, true, MILLI);

        assertThat(cursor.next(now)).isEqualTo(QueueRange.fromOrFurther(FIFTH));
    }

    @Test
    void aCaughtUpCursorSeesJobsOfConcurrentTransactionsThatLieSlightlyBeforeIt() {
        look(FIFTH, false, MILLI);

        QueueRange next = cursor.next(now);

        QueuePosition committedLater =
                new QueuePosition(0, NOON - QueueCursor.OVERLAP.minusMillis(1).toNanos() / 1_000, 4);
        assertThat(next.after().compareTo(committedLater)).isNegative();
    }

    @Test
    void looksFromTheFrontTakeAtMostTheirShareOfTheTime() {
        look(FIFTH, true, MILLI);

        assertThat(cursor.next(now + 18_999_999)).isNotEqualTo(QueueRange.ALL);
        assertThat(cursor.next(now + 19_000_000)).isEqualTo(QueueRange.ALL);
    }

    @Test
    void aNodeLooksForReturnedJobsWithinItsOwnShareHoweverManyNodesThereAre() {
        nodes = 50;
        look(FIFTH, false, MILLI);
        assertThat(cursor.next(now + 19_000_000)).isNotEqualTo(QueueRange.ALL);

        cursor.jobsBack(now);

        assertThat(cursor.next(now + 18_999_999)).isNotEqualTo(QueueRange.ALL);
        cursor.claimed(null, false, MILLI, now + 18_999_999);
        assertThat(cursor.untilNextLook(now + 18_999_999)).isEqualTo(Duration.ofNanos(1));
        assertThat(cursor.untilNextPoll(now + 18_999_999)).isEqualTo(Duration.ofNanos(1));
        assertThat(cursor.next(now + 19_000_000)).isEqualTo(QueueRange.ALL);
        cursor.claimed(null, false, MILLI, now + 19_000_000);
        assertThat(cursor.next(now + 100_000_000)).as("looked for").isNotEqualTo(QueueRange.ALL);
    }

    @Test
    void aSlowFirstLookOfANodeThatHasJustStartedKeepsTheNextNotAway() {
        nodes = 4;
        look(FIFTH, true, Duration.ofMillis(600));

        assertThat(cursor.next(now + Duration.ofSeconds(1).toNanos())).isEqualTo(QueueRange.ALL);
    }

    @Test
    void jobsReturnedDuringALookFromTheFrontCauseAnotherLook() {
        nodes = 50;
        look(FIFTH, false, MILLI);
        cursor.jobsBack(now);
        assertThat(cursor.next(now + 19_000_000)).isEqualTo(QueueRange.ALL);

        cursor.jobsBack(now + 20_000_000);
        cursor.claimed(null, false, MILLI, now + 20_000_000);

        assertThat(cursor.next(now + 39_000_000)).isEqualTo(QueueRange.ALL);
    }

    @Test
    void returnedJobsDoNotMakeAnExpensiveLookFromTheFrontMoreFrequent() {
        nodes = 50;
        expensive(FIFTH, false, Duration.ofMillis(200));

        cursor.jobsBack(now);

        long ownShare = now + Duration.ofMillis(200 * 19).toNanos();
        assertThat(cursor.next(ownShare)).isNotEqualTo(QueueRange.ALL);
    }

    @Test
    void aMoreUrgentRankRaisedDuringALookAtAnotherIsNext() {
        expensive(FIFTH, false, Duration.ofMillis(200));
        cursor.urgent(-1);
        assertThat(cursor.next(now)).isEqualTo(QueueRange.ofRank(-1));

        cursor.urgent(-5);
        cursor.claimed(null, false, MILLI, now);

        assertThat(cursor.untilNextLook(now)).isZero();
        assertThat(cursor.next(now)).isEqualTo(QueueRange.ofRank(-5));
    }

    @Test
    void aRankRaisedAgainDuringItsLookGetsAnotherLook() {
        expensive(FIFTH, false, Duration.ofMillis(200));
        cursor.urgent(-3);
        cursor.next(now);

        cursor.urgent(-3);
        cursor.claimed(null, false, MILLI, now);

        assertThat(cursor.next(now)).isEqualTo(QueueRange.ofRank(-3));
        cursor.claimed(null, false, MILLI, now);
        assertThat(cursor.next(now)).isNotEqualTo(QueueRange.ofRank(-3));
    }

    @Test
    void aRankWhoseClaimFailedIsLookedAtAgain() {
        expensive(FIFTH, false, Duration.ofMillis(200));
        cursor.urgent(-3);
        cursor.next(now);

        assertThat(cursor.next(now)).isEqualTo(QueueRange.ofRank(-3));
    }

    @Test
    void oneLowPriorityJobDoesNotDivertTheLooksBack() {
        expensive(FIFTH, false, Duration.ofSeconds(2));
        for (int i = 0; i < 5; i++) {
            cursor.next(now);
            cursor.claimed(FIFTH, false, MILLI, now);
        }
        cursor.next(now);
        cursor.claimed(new QueuePosition(10, NOON, 6), false, MILLI, now);
        now += Duration.ofSeconds(2).toNanos(); // a look back is allowed again

        assertThat(cursor.next(now)).isEqualTo(QueueRange.ofRankFrom(FIFTH.earlier(Duration.ofMinutes(1))));
    }

    @Test
    void looksBackGoToAllActiveRanksInTurn() {
        ActiveRanks ranks = new ActiveRanks();
        for (int i = 0; i < 40; i++) {
            ranks.claimed(i % 4 == 0 ? 10 : 0);
        }

        assertThat(List.of(String.valueOf(ranks.most()), String.valueOf(ranks.most()), String.valueOf(ranks.most())))
                .containsExactly("0", "0", "10");
    }

    @Test
    void allNodesTogetherTakeOneShareForLooksFromTheFront() {
        nodes = 50;
        look(FIFTH, true, MILLI);

        assertThat(cursor.next(now + 998_000_000)).isNotEqualTo(QueueRange.ALL);
        assertThat(cursor.next(now + 1_000_000_000)).isEqualTo(QueueRange.ALL);
    }

    @Test
    void pollsThatFindNothingTakeAtMostOneShareOverAllNodes() {
        nodes = 50;
        look(FIFTH, false, MILLI);
        assertThat(cursor.untilNextPoll(now)).isZero();

        for (int i = 0; i < 6; i++) {
            cursor.next(now);
            cursor.claimed(null, false, Duration.ofMillis(300), now); // past a million jobs that are not committed yet
        }

        assertThat(cursor.untilNextPoll(now)).isEqualTo(Duration.ofMillis(299_700));
    }

    @Test
    void anExpensiveFrontIsPrecededByLooksBackOfSomeSeconds() {
        expensive(FIFTH, true, Duration.ofSeconds(3)); // from the front: the next one comes in a minute
        goOn(); // passes over what commits late

        assertThat(cursor.untilNextLook(now)).isZero();
        assertThat(cursor.next(now)).isEqualTo(QueueRange.from(FIFTH.earlier(Duration.ofMinutes(1))));
        cursor.claimed(null, false, Duration.ofSeconds(1), now);

        assertThat(cursor.untilNextLook(now)).isEqualTo(Duration.ofSeconds(57)); // nothing was passed over since
        goOn();

        assertThat(cursor.next(now)).isEqualTo(QueueRange.from(FIFTH.earlier(Duration.ofSeconds(2))));
        cursor.claimed(null, false, MILLI.multipliedBy(10), now);
        goOn();

        assertThat(cursor.untilNextLook(now)).isEqualTo(Duration.ofMillis(190));
    }

    @Test
    void theCursorDoesNotLookBackIfSomeNodeLooksFromTheFrontSoon() {
        nodes = 50;
        expensive(FIFTH, true, Duration.ofMillis(50)); // each second one of them, this one within 50 s
        goOn();

        assertThat(cursor.next(now)).isEqualTo(QueueRange.from(FIFTH.earlier(QueueCursor.OVERLAP)));
    }

    @Test
    void aLookAtAMoreUrgentRankBeginsBehindTheRanksLastJob() {
        QueuePosition urgent = new QueuePosition(-3, NOON, 2);
        look(urgent, true, MILLI);
        cursor.next(now);
        cursor.claimed(FIFTH, true, MILLI, now);
        cursor.urgent(-3);
        cursor.urgent(4);

        QueueRange next = cursor.next(now);
        cursor.claimed(null, false, MILLI, now);
        QueueRange afterwards = cursor.next(now);

        assertThat(next).isEqualTo(QueueRange.ofRankFrom(urgent));
        assertThat(afterwards).isEqualTo(QueueRange.fromOrFurther(FIFTH));
    }

    @Test
    void aMoreUrgentRankGetsALookAtOnce() {
        look(FIFTH, false, MILLI);
        assertThat(cursor.untilNextLook(now)).isPositive();

        cursor.urgent(-3);
        assertThat(cursor.untilNextLook(now)).isZero();

        cursor.next(now);
        cursor.claimed(null, false, MILLI, now);
        assertThat(cursor.untilNextLook(now))
                .as("only that rank was looked at, not what arrived meanwhile")
                .isZero();
    }

    @Test
    void aLookFromTheFrontSeesMoreUrgentJobsToo() {
        look(FIFTH, true, MILLI);
        cursor.urgent(-3);
        now += 19_000_000;

        look(FIFTH, true, MILLI);

        assertThat(cursor.next(now)).isEqualTo(QueueRange.fromOrFurther(FIFTH));
    }

    @Test
    void aLookFromTheFrontMakesLooksBackUnnecessary() {
        expensive(FIFTH, true, Duration.ofSeconds(3));
        goOn(); // passes over what commits late
        now += Duration.ofSeconds(57).toNanos();

        look(FIFTH, false, Duration.ofSeconds(3));

        assertThat(cursor.next(now)).isEqualTo(QueueRange.from(FIFTH.earlier(QueueCursor.OVERLAP)));
    }

    @Test
    void onlyALookFromTheFrontShowsThatNoJobIsLeft() {
        look(FIFTH, false, MILLI);
        assertThat(cursor.lookedFromFront()).isTrue();

        goOn();
        assertThat(cursor.lookedFromFront()).isFalse();
    }

    @Test
    void jobsThatAppearBeforeTheCursorAreAllTakenBeforeItGoesOn() {
        look(FIFTH, true, MILLI);
        now += 19_000_000;
        QueuePosition late = FIFTH.earlier(Duration.ofSeconds(30));
        QueuePosition later = FIFTH.earlier(Duration.ofSeconds(20));
        look(late, true, MILLI);

        QueueRange second = cursor.next(now);
        cursor.claimed(later, true, MILLI, now);
        QueueRange third = cursor.next(now);
        cursor.claimed(new QueuePosition(0, NOON, 6), true, MILLI, now); // passes the cursor
        QueueRange afterwards = cursor.next(now);

        assertThat(second).isEqualTo(QueueRange.from(late));
        assertThat(third).isEqualTo(QueueRange.from(later));
        assertThat(afterwards).isEqualTo(QueueRange.fromOrFurther(new QueuePosition(0, NOON, 6)));
    }

    @Test
    void theCostOfGoingOnBeforeTheCursorCountsTowardsTheLookThatLedThere() {
        look(FIFTH, true, MILLI);
        now += 19_000_000;
        look(FIFTH.earlier(Duration.ofSeconds(30)), true, MILLI);
        cursor.next(now);
        cursor.claimed(null, false, MILLI, now); // it walked over dead entries only

        assertThat(cursor.next(now + 37_999_999)).isNotEqualTo(QueueRange.ALL);
        assertThat(cursor.next(now + 38_000_000)).isEqualTo(QueueRange.ALL);
    }

    @Test
    void aMoreUrgentRankComesBeforeJobsThatAppearedBeforeTheCursor() {
        look(FIFTH, true, MILLI);
        now += 19_000_000;
        QueuePosition late = FIFTH.earlier(Duration.ofSeconds(30));
        look(late, true, MILLI);
        cursor.urgent(-3);

        QueueRange next = cursor.next(now);
        cursor.claimed(null, false, MILLI, now);
        QueueRange afterwards = cursor.next(now);

        assertThat(next).isEqualTo(QueueRange.ofRank(-3));
        assertThat(afterwards).isEqualTo(QueueRange.from(late));
    }

    private void goOn() {
        assertThat(cursor.next(now).after().compareTo(FIFTH.earlier(QueueCursor.OVERLAP)))
                .isNotNegative();
        cursor.claimed(FIFTH, false, MILLI, now);
    }

    /** A look that takes as long as those before it did: the first few count for less. */
    private void expensive(QueuePosition last, boolean full, Duration took) {
        for (int i = 0; i < 8; i++) {
            look(last, full, took);
            now += Duration.ofHours(1).toNanos();
        }
        look(last, full, took);
    }

    private void look(QueuePosition last, boolean full, Duration took) {
        assertThat(cursor.next(now)).isEqualTo(QueueRange.ALL);
        cursor.claimed(last, full, took, now);
    }
}
