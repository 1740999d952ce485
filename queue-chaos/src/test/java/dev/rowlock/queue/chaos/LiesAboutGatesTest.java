package dev.rowlock.queue.chaos;

import static dev.rowlock.queue.chaos.Story.row;
import static dev.rowlock.queue.chaos.Story.second;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Rule;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Questions.Asked;
import dev.rowlock.queue.search.Explanation.Kind;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.provider.Arguments;

/** Limits that change, rates, and whoever asks why a job waits. Jobs whose numbers differ by a multiple of twelve have the same key. */
class LiesAboutGatesTest extends Lies {

    private static final String LIMITS = "limits hold";
    private static final String RATES = "rates hold";
    private static final String PLACES = "places are used";
    private static final String ANSWERS = "whoever asks why is told";

    static Stream<Arguments> lies() {
        return Stream.of(
                lie("a limit that was lowered long ago does not count", LIMITS, s -> {
                    limit(s, 1, 4, 2);
                    limit(s, 10, 4, 1);
                    running(s, "gated", 12, second(5));
                    running(s, "gated", 24, second(14));
                }),
                lie("the limit of a queue that was lowered long ago does not count", LIMITS, s -> {
                    limit(s, 1, 3, 2);
                    limit(s, 10, 2, 2);
                    IntStream.range(12, 15).forEach(job -> running(s, "gated", job, second(20 + job)));
                }),
                lie("a job waits although the limit of its key was raised", NOBODY_WAITS, s -> {
                    s.peace();
                    s.serves.add(new Serves("w1", "gated", 4));
                    limit(s, 1, 4, 1);
                    limit(s, 10, 4, 2);
                    running(s, "gated", 12, second(5));
                    ready(s, "gated", 24, second(6));
                }),
                lie("a full key holds up another one", NOBODY_WAITS, s -> {
                    s.peace();
                    s.serves.add(new Serves("w1", "gated", 4));
                    running(s, "gated", 12, second(5));
                    running(s, "gated", 24, second(5));
                    ready(s, "gated", 13, second(6));
                }),
                lie("a job waits although its rate allows it", NOBODY_WAITS, s -> {
                    s.peace();
                    s.serves.add(new Serves("w1", "rated", 4));
                    ready(s, "rated", 12, second(6));
                }),
                lie("a key has a larger burst than it may", RATES, s -> {
                    running(
                            s, "rated", 120,
                            second(2)); // since when another one may begin is known behind this one only
                    IntStream.range(1, 5).forEach(i -> running(s, "rated", 12 * i, second(5)));
                }),
                lie(
                        "a key is a little too fast",
                        RATES,
                        s -> IntStream.range(1, 60)
                                .forEach(i -> running(s, "rated", 12 * i, second(5) + i * 110_000_000L))),
                lie(
                        "a queue is too fast",
                        RATES,
                        s -> IntStream.range(12, 90).forEach(i -> running(s, "rated", i, second(5) + i * 60_000_000L))),
                lie(
                        "a rate counts for each node",
                        RATES,
                        s -> IntStream.range(1, 60)
                                .forEach(i -> running(s, "rated", 12 * i, second(5) + i / 2 * 125_000_000L))),
                lie("a job has a place and waits for its rate", PLACES, s -> {
                    s.peace();
                    running(s, "rated", 120, second(10));
                }),
                lie("a key is said to be full and is not", ANSWERS, s -> asked(s, 12, Kind.KEY_FULL)),
                lie("a queue is said to be full and is not", ANSWERS, s -> asked(s, 12, Kind.QUEUE_FULL)),
                lie("nobody says that a key is full", ANSWERS, s -> {
                    running(s, "gated", 24, second(3));
                    running(s, "gated", 36, second(3));
                    asked(s, 12, Kind.NEXT);
                }),
                lie("nobody says which steps are missing", ANSWERS, s -> {
                    s.peace();
                    s.moves.add(new Move(12, second(6), 12, "linked", "waiting", "parents", 0, 0, 0, 0));
                    s.asked.add(new Asked(12, second(10), second(11), List.of(Kind.DUE)));
                }),
                lie("a rate is said to be used up and is not", ANSWERS, s -> {
                    s.peace();
                    ready(s, "rated", 12, second(6));
                    s.asked.add(new Asked(12, second(10), second(11), List.of(Kind.RATE)));
                }));
    }

    @Test
    void whatRunsMayStayAboveALimitThatIsLoweredAndSoMayClaimsThatWereUnderWay() {
        Story story = new Story();
        limit(story, 1, 4, 2);
        running(story, "gated", 12, second(9));
        limit(story, 10, 4, 1);
        running(story, "gated", 24, second(11));

        assertAccepted(story, LIMITS);
    }

    @Test
    void whatARateAllowsIsAccepted() {
        Story story = new Story();
        IntStream.range(1, 4).forEach(i -> running(story, "rated", 12 * i, second(5)));
        IntStream.range(4, 60).forEach(i -> running(story, "rated", 12 * i, second(5) + (i - 3) * 125_000_000L));

        assertAccepted(story, RATES);
    }

    @Test
    void aClockThatIsSetAllowsABurst() {
        Story story = new Story();
        IntStream.range(1, 4).forEach(i -> running(story, "rated", 12 * i, second(5)));
        story.strikes.add(new Strike("CLOCK_BACK", "", second(5) + 1, second(6), false));
        IntStream.range(4, 7).forEach(i -> running(story, "rated", 12 * i, second(5) + 100_000_000L));

        assertAccepted(story, RATES);
    }

    @Test
    void trueAnswersAreAccepted() {
        Story story = new Story();
        running(story, "gated", 24, second(3));
        running(story, "gated", 36, second(3));
        asked(story, 12, Kind.KEY_FULL);

        assertAccepted(story, ANSWERS);
    }

    private static void assertAccepted(Story story, String promise) {
        assertThat(Checker.check(story.history()))
                .extracting(Violation::promise)
                .doesNotContain(promise);
    }

    private static void limit(Story story, int second, int ofQueue, int ofKey) {
        story.rules.add(new Rule(second, second(second), "gated", ofQueue, ofKey));
    }

    private static void running(Story story, String queue, int job, long nanos) {
        story.rows.add(row(job, job, "running", 1, 0, 0, (long) job));
        story.moves.add(new Move(1_000 + job, nanos, job, queue, "running", "claim of " + job, job, 1, 1, 0));
    }

    private static void ready(Story story, String queue, int job, long nanos) {
        story.rows.add(row(job, job, "ready", 0, 0, 0, null));
        story.moves.add(new Move(1_000 + job, nanos, job, queue, "ready", "", 0, 0, 0, 0));
    }

    /** About a job that is ready in a queue with limits, in peace. */
    private static void asked(Story story, int job, Kind kind) {
        story.peace();
        ready(story, "gated", job, second(6));
        story.asked.add(new Asked(job, second(10), second(11), List.of(kind)));
    }
}
