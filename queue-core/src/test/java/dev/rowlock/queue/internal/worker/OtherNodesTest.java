package dev.rowlock.queue.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.BeatNode.Heartbeat;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Times are handed in, in seconds; this node beats every second. */
class OtherNodesTest {

    private static final Duration LEASE = Duration.ofSeconds(10);
    private static final Duration HOUR = Duration.ofHours(1);

    private final OtherNodes others = new OtherNodes(Duration.ofSeconds(2));

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
    void itsLeaseBeganWhenItBeatAndNotWhenThatWasSeen() {
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
    void afterAGapEverybodyHasAWholeLeaseToBeat() {
        Heartbeat last = heartbeat(1, Duration.ZERO);
        watch(0, 9, last);

        look(12, last);

        assertThat(silent(12)).isEmpty();
        watch(13, 21, last);
        assertThat(silent(21)).isEmpty();
        watch(22, 22, last);
        assertThat(silent(22)).containsExactly(last);
    }

    @Test
    void whoHasNotLookedForLongerThanTheGapKnowsOfNoDeath() {
        watch(0, 10, heartbeat(1, Duration.ZERO));

        assertThat(silent(13)).isEmpty();
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
