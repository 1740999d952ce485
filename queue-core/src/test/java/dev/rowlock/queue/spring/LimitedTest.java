package dev.rowlock.queue.spring;

import static dev.rowlock.queue.spring.Scan.assertInvalid;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.Limited;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.gate.DeclareLimits;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.spring.Scan.Order;
import dev.rowlock.queue.spring.Scan.Parcel;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** What {@link Limited} says on a listener. */
class LimitedTest {

    static class Full {
        @Limited(
                maxRunning = "${most}",
                maxRunningPerKey = "1",
                rate = "100/min",
                ratePerKey = "5/s burst 20",
                inOrder = "cancel-rest")
        @JobListener(queue = "mail")
        void run(Order order) {}
    }

    @Test
    void everythingCanBeSaid() {
        assertThat(Scan.run(Map.of("most", "7"), Full.class).get(0).limit())
                .isEqualTo(QueueLimit.of("mail")
                        .maxRunning(7)
                        .maxRunningPerKey(1)
                        .rate(Rate.perMinute(100))
                        .ratePerKey(Rate.perSecond(5).burst(20))
                        .inOrder(AfterFailure.CANCEL_REST));
    }

    static class Bursting {
        @Limited(maxRunningPerKey = "2", burstPerKey = "10")
        @JobListener(queue = "mail")
        void run(Order order) {}
    }

    static class BurstAlone {
        @Limited(burstPerKey = "10")
        @JobListener(queue = "mail")
        void run(Order order) {}
    }

    @Test
    void aBurstGoesWithALimit() {
        assertThat(Scan.run(Map.of(), Bursting.class).get(0).limit())
                .isEqualTo(QueueLimit.of("mail").maxRunningPerKey(2).burstPerKey(10));
        assertInvalid(BurstAlone.class, "a burst per key of 10 needs a lower limit per key, and there is none");
    }

    static class OfPayload {
        @Limited(maxRunning = "2")
        @JobListener
        void run(Parcel parcel) {}

        @JobListener
        void other(Order order) {}
    }

    @Test
    void itIsAboutTheQueueOfTheListener() {
        List<ListenerDefinition> listeners = Scan.run(Map.of(), OfPayload.class);

        assertThat(DeclareLimits.of(Map.of(), listeners))
                .containsExactly(QueueLimit.of("shipping").maxRunning(2));
    }

    @Test
    void aSettingOfTheQueueWins() {
        QueueLimit setting = QueueLimit.of("shipping").maxRunning(9);

        assertThat(DeclareLimits.of(Map.of("shipping", setting), Scan.run(Map.of(), OfPayload.class)))
                .containsExactly(setting);
    }

    static class Contradicting {
        @Limited(maxRunning = "2")
        @JobListener(queue = "mail")
        void one(Order order) {}

        @Limited(maxRunning = "3")
        @JobListener(queue = "mail")
        void two(Parcel parcel) {}
    }

    @Test
    void listenersOfAQueueThatContradictEachOtherStopTheStart() {
        List<ListenerDefinition> listeners = Scan.run(Map.of(), Contradicting.class);

        assertThatThrownBy(() -> DeclareLimits.of(Map.of(), listeners))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Contradicting.one(Order)")
                .hasMessageContaining("Contradicting.two(Parcel)")
                .hasMessageContaining("contradict each other");
        assertThat(DeclareLimits.of(Map.of("mail", QueueLimit.of("mail").maxRunning(4)), listeners))
                .hasSize(1);
    }

    static class Wrong {
        @Limited(rate = "fast")
        @JobListener
        void run(Order order) {}
    }

    @Test
    void whatCannotBeReadStopsTheStart() {
        assertInvalid(Wrong.class, "rate 'fast' is not valid");
    }

    static class NoListener {
        @Limited(maxRunning = "2")
        void run(Order order) {}
    }

    @Test
    void withoutAListenerItStopsTheStart() {
        assertInvalid(NoListener.class, "@Limited NoListener.run of bean", "it is no @JobListener");
    }
}
