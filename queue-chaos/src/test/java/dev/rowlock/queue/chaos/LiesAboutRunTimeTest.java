package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.row;
import static dev.rowlock.queue.chaos.Story.second;
import static dev.rowlock.queue.chaos.Story.told;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Sharer;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** Keys do not get their shares of run time, or get others by right. */
class LiesAboutRunTimeTest extends Lies {

    private static final String SHARED = "run time is shared";

    /** As promised: what its jobs take, by weight. */
    private static final ToDoubleFunction<Sharer> TIME = sharer -> (double) sharer.millis() / sharer.weight();

    static Stream<Arguments> lies() {
        return Stream.of(
                lie(
                        "jobs are shared instead of time",
                        SHARED,
                        s -> new Node(s, "w1").backlog().work(2, 22, sharer -> 1.0 / sharer.weight())),
                lie(
                        "nobody is charged anything",
                        SHARED,
                        s -> new Node(s, "w1").backlog().work(2, 22, sharer -> 0)),
                lie(
                        "weights do not count",
                        SHARED,
                        s -> new Node(s, "w1").backlog().work(2, 22, Sharer::millis)),
                lie("one node of two shares nothing", SHARED, s -> {
                    new Node(s, "w1").backlog().work(2, 22, TIME);
                    new Node(s, "w2").work(2, 22, sharer -> 1);
                }),
                lie("a node forgets now and then what it has charged", SHARED, s -> {
                    Node node = new Node(s, "w1").backlog();
                    IntStream.range(2, 22)
                            .forEach(second ->
                                    node.work(second, second + 1, TIME).forget());
                }),
                lie(
                        "a node charges nothing for some time only",
                        SHARED,
                        s -> new Node(s, "w1")
                                .backlog()
                                .work(2, 20, TIME)
                                .work(20, 25, sharer -> 1.0 / sharer.weight())
                                .work(25, 40, TIME)));
    }

    @Test
    void sharesThatAreKeptAreAccepted() {
        Story story = new Story();
        new Node(story, "w1").backlog().work(2, 50, TIME);
        new Node(story, "w2").work(10, 50, TIME);

        assertAccepted(story);
    }

    @Test
    void aHandlerThatSomethingKeepsFromItsEndIsALeadByRight() {
        Story story = new Story();
        new Node(story, "w1")
                .backlog()
                .work(2, 10, TIME)
                .stick(Sharer.SLOW, 5_000)
                .work(10, 40, TIME);

        assertAccepted(story);
    }

    @Test
    void aLeadFromBeforeAllHadABacklogIsWorkedOff() {
        Story story = new Story();
        new Node(story, "w1")
                .backlog(6)
                .stick(Sharer.HEAVY, 6_500)
                .stick(Sharer.HEAVY, 6_500)
                .work(6, 40, TIME);

        assertAccepted(story);
    }

    @Test
    void aProcessThatHasJustStartedIsNotLookedAt() {
        Story story = new Story();
        new Node(story, "w1").backlog().work(2, 7, sharer -> 0);
        story.pulses.removeIf(pulse -> pulse.node().equals("w1") && pulse.nanos() > second(8));

        assertAccepted(story);
    }

    @Test
    void whoeverIsAloneGetsAllTime() {
        Story story = new Story();
        new Node(story, "w1").backlog().work(2, 12, TIME).without(Sharer.QUICK).work(12, 50, sharer -> 1);

        assertAccepted(story);
    }

    private static void assertAccepted(Story story) {
        assertThat(Checker.check(story.history()))
                .extracting(Violation::promise)
                .doesNotContain(SHARED);
    }

    /** A process with two threads. Each takes a job of the key that has been charged the least. */
    private static final class Node {

        private static final int THREADS = 2;

        private final Story story;
        private final String name;
        private final Map<Sharer, Double> charged = new EnumMap<>(Sharer.class);
        private final long[] freeAt = new long[THREADS]; // millis

        Node(Story story, String name) {
            this.story = story;
            this.name = name;
            if (story.pulses.isEmpty()) {
                story.peace();
            }
            story.serves.add(new Serves(name, "shared", THREADS));
            forget();
        }

        Node forget() {
            Stream.of(Sharer.values()).forEach(sharer -> charged.put(sharer, 0.0));
            return this;
        }

        /** Some jobs of each key are ready all the time. */
        Node backlog() {
            return backlog(1);
        }

        /** From this second on. */
        Node backlog(int second) {
            for (Sharer sharer : Sharer.values()) {
                IntStream.range(0, 6).forEach(number -> {
                    long uid = 1_000 + sharer.ordinal() * 100 + number;
                    story.told.add(told(uid, uid, Fate.COMMITTED, "shared", Act.SLEEP, sharer.millis()));
                    story.rows.add(row(uid, uid, "ready", 0, 0, 0, null));
                    story.moves.add(new Move(uid, second(second), uid, "shared", "ready", "", 0, 0, 0, 0));
                });
            }
            return this;
        }

        /** From now on it has fewer jobs ready than there are threads. */
        Node without(Sharer sharer) {
            long uid = 1_000 + sharer.ordinal() * 100;
            story.moves.add(new Move(uid + 50, freeAt[0] * 1_000_000, uid, "shared", "dead", "cancelled", 0, 0, 0, 0));
            return this;
        }

        /** @param from in seconds, as {@code to} */
        Node work(long from, long to, ToDoubleFunction<Sharer> charge) {
            while (Math.min(freeAt[0], freeAt[1]) < to * 1_000) {
                int thread = next();
                freeAt[thread] = Math.max(freeAt[thread], from * 1_000);
                Sharer least = charged.entrySet().stream()
                        .min(Comparator.comparingDouble(Map.Entry::getValue))
                        .orElseThrow()
                        .getKey();
                charged.merge(least, charge.applyAsDouble(least), Double::sum);
                run(thread, least, least.millis());
            }
            return this;
        }

        /** One of its jobs takes that long. */
        Node stick(Sharer sharer, int millis) {
            charged.merge(sharer, (double) millis / sharer.weight(), Double::sum);
            run(next(), sharer, millis);
            return this;
        }

        private int next() {
            return freeAt[0] <= freeAt[1] ? 0 : 1;
        }

        private void run(int thread, Sharer sharer, int millis) {
            long uid = 10_000 + story.told.size();
            long begun = freeAt[thread] * 1_000_000;
            freeAt[thread] += millis;
            story.told.add(told(uid, uid, Fate.COMMITTED, "shared", Act.SLEEP, sharer.millis()));
            story.starts.add(new Start(name, begun, uid, uid, uid, 1, 0));
            story.ends.add(new End(name, freeAt[thread] * 1_000_000, uid, uid, "returned"));
        }
    }
}
