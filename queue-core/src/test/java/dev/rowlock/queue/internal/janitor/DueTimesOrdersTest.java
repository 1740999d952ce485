package dev.rowlock.queue.internal.janitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.test.postgres.TestSeed;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Nodes look, tell each other, and hear of a job, in orders that are drawn: one of them moves the job soon, and none needs its poll. All
 * hear the same messages in the same order, each at times of its own.
 */
class DueTimesOrdersTest {

    private static final int ORDERS = 20_000;
    private static final int MOST_NODES = 3;
    private static final int STEPS = 30;
    private static final Duration POLL = Duration.ofSeconds(5);

    /** Within which a job is moved of which all have heard: each node's turn, and the server's clock that is behind. */
    private static final int SOON_MILLIS = 100;

    private final Random random = TestSeed.random("orders of looks and messages");

    @Test
    void noJobIsForgottenInWhateverOrderNodesLookTellAndHear() {
        for (int i = 0; i < ORDERS; i++) {
            Fleet fleet = new Fleet();
            fleet.begin();
            assertThat(fleet.movesTheJob()).as("order %d: %s", i, fleet.events).isTrue();
        }
    }

    /** By whom it was sent, null: by whoever has enqueued the job; and which time is the next one, null: none. */
    private record Message(
            @Nullable Node sender, long look, @Nullable Duration next) {}

    private final class Fleet {

        private final List<String> events = new ArrayList<>();
        private final List<Message> messages = new ArrayList<>(); // in the order of their commits
        private final List<Node> nodes = IntStream.range(0, 2 + random.nextInt(MOST_NODES - 1))
                .mapToObj(number -> new Node(this, number))
                .toList();
        private final long dueAt = random.nextInt(3);
        private final long behind = random.nextInt(3); // so much is the server's clock
        private long now; // in milliseconds
        private boolean committed;
        private boolean announced;
        private boolean moved;

        void begin() {
            for (int i = 0; i < STEPS; i++) {
                step();
            }
        }

        private void step() {
            Node node = nodes.get(random.nextInt(nodes.size()));
            switch (random.nextInt(10)) {
                case 0 -> now++;
                case 1 -> enqueue();
                case 2, 3 -> node.send(random.nextInt(10) > 0);
                case 4, 5, 6 -> node.hear();
                default -> node.beginOrEndLook();
            }
        }

        private void enqueue() {
            if (!committed) {
                committed = true;
                note("job committed");
            } else if (!announced) {
                announced = true;
                note("job announced");
                messages.add(new Message(null, 0, Duration.ofMillis(Math.max(0, dueAt - now))));
            }
        }

        /** From now on a node looks only when it must, after it has heard all there is to hear. */
        boolean movesTheJob() {
            enqueue();
            enqueue();
            nodes.forEach(Node::endLook);
            for (int i = 0; i < SOON_MILLIS; i++) {
                nodes.forEach(node -> node.send(true));
                nodes.forEach(Node::hearAll);
                nodes.forEach(Node::lookIfItMust);
                now++;
            }
            return moved;
        }

        private void note(String event) {
            events.add(now + " ms: " + event);
        }
    }

    private final class Node {

        private final Fleet fleet;
        private final int number;
        private final DueTimes times = new DueTimes(0);
        private int heard; // so many of the messages
        private DueTimes.@Nullable Look look; // that goes on
        private boolean forOthers; // it moves something else, too
        private boolean sees; // the job
        private @Nullable Message unsent;

        Node(Fleet fleet, int number) {
            this.fleet = fleet;
            this.number = number;
            times.looked(times.looking(0), 0, null, POLL, false);
        }

        void lookIfItMust() {
            if (times.left(now(), number).toNanos() <= 0) {
                beginLook();
                endLook();
            }
        }

        void beginOrEndLook() {
            if (look == null) {
                beginLook();
            } else {
                endLook();
            }
        }

        private void beginLook() {
            look = times.looking(now());
            forOthers = random.nextInt(3) > 0;
            sees = fleet.committed;
            fleet.note("node " + number + " begins look " + look.number() + (sees ? " and sees the job" : ""));
        }

        private void endLook() {
            DueTimes.Look ended = look;
            look = null;
            if (ended == null) {
                return;
            }
            long left = fleet.dueAt + fleet.behind - fleet.now;
            boolean there = sees && !fleet.moved;
            boolean moves = there && left <= 0;
            fleet.moved |= moves;
            Duration next = there && !moves ? Duration.ofMillis(left) : null;
            boolean tells = moves || forOthers || ended.forAll() && number == 0;
            times.looked(ended, now(), next, POLL, tells);
            if (tells) {
                unsent = new Message(this, ended.number(), next);
            }
            fleet.note("node " + number + " ends look " + ended.number() + (tells ? " and tells of it" : ""));
        }

        /** The last of what it has to say. */
        void send(boolean works) {
            if (unsent != null && works) {
                fleet.note("node " + number + " sends of look " + unsent.look());
                fleet.messages.add(unsent);
            }
            unsent = null;
        }

        void hearAll() {
            while (heard < fleet.messages.size()) {
                hear();
            }
        }

        void hear() {
            if (heard == fleet.messages.size()) {
                return;
            }
            Message message = fleet.messages.get(heard++);
            if (message.sender() == null) {
                fleet.note("node " + number + " hears of the job");
                times.dueForAll(
                        now() + (message.next() == null ? 0 : message.next().toNanos()));
            } else if (message.sender() == this) {
                fleet.note("node " + number + " hears its look " + message.look());
                times.allHaveHeardOf(message.look());
            } else {
                fleet.note("node " + number + " hears of node " + message.sender().number);
                times.movedElsewhere(now(), message.next());
            }
        }

        private long now() {
            return Duration.ofMillis(fleet.now).toNanos();
        }
    }
}
