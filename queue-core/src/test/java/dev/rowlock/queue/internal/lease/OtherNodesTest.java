package dev.rowlock.queue.internal.lease;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.lease.BeatNode.Heartbeat;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times are handed in, in seconds; this node beats every second. */
class OtherNodesTest {

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration HOUR = Duration.ofHours(1);

    private final OtherNodes others = new OtherNodes(Duration.ofSeconds(1));

    @Test
    void aNodeThatBeatsIsNeverSilent() {
        for (int second = 0; second <= 100; second++) {
            look(second, heartbeat(second, Duration.ofMillis(500)));

            assertThat(silent(second)).isEmpty();
        }
    }

    @Test
    void aNodeIsSilentWhenItsBeatsHaveStoodStillForItsLease() {
        Heartbeat last = heartbeat(7, Duration.ZERO);

        watch(0, 9, last);
        assertThat(silent(9)).isEmpty();
        watch(10, 10, last);

        assertThat(silent(10)).containsExactly(last);
    }

    @Test
    void aLeaseBeginsWithTheBeatAndNotWhenTheBeatIsSeen() {
        look(0, heartbeat(1, Duration.ZERO));

        Duration left = look(1, heartbeat(2, Duration.ofMillis(800)));

        assertThat(left).isEqualTo(LEASE.minusMillis(800));
    }

    @Test
    void aNodeIsWatchedForAWholeLeaseWhateverTheServersClockSaysOfIt() {
        Heartbeat old = heartbeat(1, HOUR);

        watch(0, 9, old);

        assertThat(silent(9)).isEmpty();
    }

    @Test
    void aServersClockThatWasSetForwardCostsANodeNoMoreThanOneHeartbeatOfItsLease() {
        look(5, heartbeat(1, Duration.ZERO));

        Duration left = look(6, heartbeat(2, HOUR));

        assertThat(left).isEqualTo(LEASE.minusSeconds(1));
    }

    @Test
    void aServersClockThatWasSetBackHidesNoDeath() {
        look(0, heartbeat(1, Duration.ZERO));
        Heartbeat last = heartbeat(2, Duration.ofHours(-1));

        watch(1, 11, last);

        assertThat(silent(11)).containsExactly(last);
    }

    @Test
    void everyNodeHasAWholeLeaseToBeatAfterAGap() {
        Heartbeat last = heartbeat(1, Duration.ZERO);
        watch(0, 9, last);

        look(13, last);

        assertThat(silent(13)).isEmpty();
        watch(14, 22, last);
        assertThat(silent(22)).isEmpty();
        watch(23, 23, last);
        assertThat(silent(23)).containsExactly(last);
    }

    @Test
    void aNodeThatHasNotLookedForLongerThanTheGapKnowsOfNoDeath() {
        watch(0, 10, heartbeat(1, Duration.ZERO));

        assertThat(silent(14)).isEmpty();
    }

    @Test
    void pausesThatAreShortForTheOthersLeaseHideNoDeathFromANodeThatBeatsOften() {
        OtherNodes often = new OtherNodes(Duration.ofMillis(50));
        Heartbeat last = heartbeat(1, Duration.ZERO);

        for (int second = 0; second <= 12; second += 3) {
            often.looked(nanos(second), List.of(last));
        }

        assertThat(often.silent(nanos(12))).containsExactly(last);
    }

    @Test
    void aNodeThatBeatsSeldomDeclaresOnlyWatchedNodesDead() {
        OtherNodes seldom = new OtherNodes(Duration.ofMinutes(20));
        seldom.looked(nanos(0), List.of(heartbeat(1, Duration.ZERO)));

        // The database was away from then on, and is back.
        assertThat(seldom.silent(nanos(10))).isEmpty();
    }

    @Test
    void aNodeThatBeatsAsSeldomAsItMayHasTimeToComeBackFromAnOutage() {
        OtherNodes likeIt = new OtherNodes(LEASE.dividedBy(3));
        Heartbeat last = heartbeat(1, Duration.ZERO);
        likeIt.looked(nanos(0), List.of(last));
        likeIt.looked(nanos(3) + 400_000_000, List.of(last)); // the other one is about to beat

        // The database was away from then on, and is back.
        assertThat(likeIt.silent(nanos(10))).isEmpty();
        assertThat(likeIt.looked(nanos(10), List.of(last))).isEqualTo(LEASE);
    }

    @Test
    void aNodeLooksAsOftenAsTheShortestLeaseDemands() {
        OtherNodes seldom = new OtherNodes(Duration.ofMinutes(20));
        assertThat(seldom.untilNextLook()).isEqualTo(Duration.ofSeconds(10)); // one with a short lease may come

        Heartbeat last = heartbeat(1, Duration.ZERO);
        seldom.looked(nanos(0), List.of(last, new Heartbeat(3, 1, HOUR, Duration.ZERO)));
        assertThat(seldom.untilNextLook()).isEqualTo(LEASE.dividedBy(3));

        for (int second = 4; second <= 12; second += 4) {
            seldom.looked(nanos(second), List.of(last));
        }
        assertThat(seldom.silent(nanos(12))).containsExactly(last);
    }

    @Test
    void aNodeThatIsGoneIsNotSilent() {
        watch(0, 10, heartbeat(1, Duration.ZERO));

        Duration left = look(11);

        assertThat(left).isNull();
        assertThat(silent(11)).isEmpty();
    }

    private void watch(int from, int to, Heartbeat heartbeat) {
        for (int second = from; second <= to; second++) {
            look(second, heartbeat);
        }
    }

    private Duration look(int second, Heartbeat... heartbeats) {
        return others.looked(nanos(second), List.of(heartbeats));
    }

    private List<Heartbeat> silent(int second) {
        return others.silent(nanos(second));
    }

    private static long nanos(int second) {
        return Duration.ofSeconds(second).toNanos();
    }

    private static Heartbeat heartbeat(long beats, Duration age) {
        return new Heartbeat(2, beats, LEASE, age);
    }
}
