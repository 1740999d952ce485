package dev.rowlock.queue.internal.wake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.spi.Wakeups;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

@PostgresTest
class WakeupBusTest {

    @Test
    void anotherNodeHearsAndTheSenderIsToldDirectlyAndOnlyOnce(TestDatabase database) throws InterruptedException {
        Database rowlock = new Database(database.dataSource(), new Schema("rowlock"));
        try (Notifier notifier = new Notifier(new SendWakeup(rowlock));
                Notifier otherNotifier = new Notifier(new SendWakeup(rowlock))) {
            WakeupBus sender = new WakeupBus(notifier);
            WakeupBus receiver = new WakeupBus(otherNotifier);
            Heard own = new Heard();
            Heard other = new Heard();
            sender.subscribe(own);
            receiver.subscribe(other);
            Semaphore connected = new Semaphore(0);
            try (Ear ownEar = new Ear(database.unpooled(), rowlock.schema(), sender.heardBy(own), connected::release);
                    Ear otherEar = new Ear(
                            database.unpooled(), rowlock.schema(), receiver.heardBy(other), connected::release)) {
                ownEar.start();
                otherEar.start();
                connected.acquire(2);

                sender.jobsReady("mail", -3, 7);
                String first = other.next();
                sender.attention();
                String second = other.next();
                sender.jobsReady("mail", 0, 1);
                other.next();

                assertThat(first).isEqualTo("7 ready in mail from rank -3");
                assertThat(second).isEqualTo("attention");
                assertThat(own.all)
                        .containsExactly("7 ready in mail from rank -3", "attention", "1 ready in mail from rank 0");
                assertThat(other.turns).hasSize(2).doesNotHaveDuplicates();
                assertThat(own.turns).isEmpty();
            }
        }
    }

    @Test
    void whoHearsIsOfferedTheConnectionUnlessThereIsMoreToHear(TestDatabase database) throws InterruptedException {
        Schema schema = new Schema("rowlock");
        SendWakeup send = new SendWakeup(new Database(database.dataSource(), schema));
        Heard heard = new Heard();
        Semaphore connected = new Semaphore(0);
        try (Ear ear =
                new Ear(database.unpooled(), schema, new WakeupBus(Wakeups.NONE).heardBy(heard), connected::release)) {
            ear.start();
            connected.acquire();

            send.run(List.of("o|r|0|1|1|alone"));
            heard.next();
            send.run(List.of("o|r|0|1|1|first", "o|r|0|1|1|second"));
            heard.next();
            heard.next();
        }

        assertThat(heard.lines).containsExactly(true, false, true);
    }

    @Test
    void aMessageThatIsNotOursIsIgnored() {
        Heard heard = new Heard();
        for (String message : new String[] {
            "",
            "x",
            "o|",
            "a|b|c|d",
            "o|r|0|1|mail",
            "o|r|0|one|5|mail",
            "o|w|soon",
            "o|m|later",
            "o|z|1|mail",
            "own|r|0|1|5|mail"
        }) {
            WakeupMessage.deliver(message, "own", heard, null);
        }

        WakeupMessage.deliver("o|w|250", "own", heard, null);
        WakeupMessage.deliver("o|r|-2|4|5|a|strange|name", "own", heard, null);
        WakeupMessage.deliver(WakeupMessage.moved("o", Duration.ofMillis(7)), "own", heard, null);
        WakeupMessage.deliver(WakeupMessage.moved("o", null), "own", heard, null);

        assertThat(heard.all)
                .containsExactly(
                        "waiting PT0.25S",
                        "4 ready in a|strange|name from rank -2",
                        "moved, next in PT0.007S",
                        "moved, next in null");
    }

    private static final class Heard implements Wakeups, Hearsay {

        private final BlockingQueue<String> events = new LinkedBlockingQueue<>();
        private final Queue<String> all = new ConcurrentLinkedQueue<>();
        private final Queue<Integer> turns = new ConcurrentLinkedQueue<>();
        private final Queue<Boolean> lines = new ConcurrentLinkedQueue<>();

        String next() throws InterruptedException {
            return events.poll(20, TimeUnit.SECONDS);
        }

        @Override
        public void jobsReady(String queue, int rank, long jobs) {
            hear("%d ready in %s from rank %d".formatted(jobs, queue, rank));
        }

        @Override
        public void jobsReady(String queue, int rank, long jobs, int turn, @Nullable Connection line) {
            turns.add(turn);
            lines.add(line != null);
            jobsReady(queue, rank, jobs);
        }

        @Override
        public void jobsWaiting(Duration dueIn) {
            hear("waiting " + dueIn);
        }

        @Override
        public void dueJobsMoved(@Nullable Duration nextDue) {
            hear("moved, next in " + nextDue);
        }

        @Override
        public void attention() {
            hear("attention");
        }

        private void hear(String event) {
            all.add(event);
            events.add(event);
        }
    }
}
