package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Found;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Of waits whose looks the test answers. */
class WaitsTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final Duration SHORT = Duration.ofMillis(1);
    private static final long ID = 7;

    /** What one look asks for, and the answer to it. */
    private record Look(Set<Long> ids, CompletableFuture<List<Ended>> answer) {}

    private final BlockingQueue<Look> looks = new LinkedBlockingQueue<>();
    private volatile boolean over;
    private Waits waits = new Waits(this::find, SHORT);

    private Found find(long[] ids) {
        Look look = new Look(new HashSet<>(LongStream.of(ids).boxed().toList()), new CompletableFuture<>());
        looks.add(look);
        return new Found(over ? List.of() : look.answer().join(), true);
    }

    @AfterEach
    void close() {
        over = true;
        looks.forEach(look -> look.answer().complete(List.of()));
        waits.close();
    }

    /** The first one knows the id before the commit, and the second look still sees no job. Then comes the commit, and with it who knows of that. */
    @Test
    void whoKnowsOfTheCommitIsNotToldByAnOlderLookThatThereIsNoJob() throws Exception {
        CompletableFuture<Ended> tooEarly = waits.await(ID);
        next().answer().complete(nowhere());
        Look older = next();

        CompletableFuture<Ended> afterCommit = waits.await(ID);
        older.answer().complete(nowhere());
        assertThat(tooEarly).succeedsWithin(LONG).isEqualTo(nowhere().get(0));
        next().answer().complete(completed());

        assertThat(afterCommit).succeedsWithin(LONG).isEqualTo(completed().get(0));
    }

    /** A job that was dead has another life by then. */
    @Test
    void whoKnowsOfARedriveIsNotToldByAnOlderLookThatTheJobIsDead() throws Exception {
        CompletableFuture<Ended> before = waits.await(ID);
        Look older = next();

        CompletableFuture<Ended> afterRedrive = waits.await(ID);
        older.answer().complete(List.of(new Ended(ID, "dead", null, null)));
        assertThat(before).succeedsWithin(LONG).extracting(Ended::state).isEqualTo("dead");
        next().answer().complete(completed());

        assertThat(afterRedrive).succeedsWithin(LONG).isEqualTo(completed().get(0));
    }

    @Test
    void aNewcomerWhoLeavesBeforeTheAnswerIsForgotten() throws Exception {
        CompletableFuture<Ended> first = waits.await(ID);
        Look look = next();

        waits.leave(ID, waits.await(ID));
        look.answer().complete(completed());

        assertThat(first).succeedsWithin(LONG);
        assertThat(waits.size()).isZero();
    }

    /** The statement has read that the job runs; the job ends, and the news of it arrives; then the answer is noted. */
    @Test
    void anEndThatIsHeardDuringALookIsNotForgottenForItsAnswer() throws Exception {
        waits.close();
        waits = new Waits(this::find, Duration.ofHours(1));
        CompletableFuture<Ended> end = waits.await(ID);
        Look look = next();

        waits.ended(ID);
        look.answer().complete(List.of());
        next().answer().complete(completed());

        assertThat(end).succeedsWithin(LONG).isEqualTo(completed().get(0));
    }

    @Test
    void eachOfManyWaitsIsAskedForInTurn() throws Exception {
        int jobs = 4 * Waits.ASKED_AT_ONCE;
        LongStream.rangeClosed(1, jobs).forEach(waits::await);

        Set<Long> asked = new HashSet<>();
        for (int look = 0; look < 6 && asked.size() < jobs; look++) { // the first ones may have begun with a few
            Look next = next();
            asked.addAll(next.ids());
            next.answer().complete(List.of());
        }

        assertThat(asked).hasSize(jobs);
    }

    /** They would wait for a whole round otherwise. */
    @Test
    void whatThisProcessHasEndedComesBeforeManyWaitsThatAreDue() throws Exception {
        int jobs = 4 * Waits.ASKED_AT_ONCE;
        LongStream.rangeClosed(1, jobs).forEach(waits::await);
        Look first = next();

        waits.ended(jobs);
        first.answer().complete(List.of());

        assertThat(next().ids()).contains((long) jobs).hasSizeGreaterThan(1);
    }

    /** Otherwise those that others end would wait until this process ends no more. */
    @Test
    void whatThisProcessHasEndedLeavesHalfOfEachLookToWaitsThatAreDueForLonger() throws Exception {
        int half = Waits.ASKED_AT_ONCE / 2;
        long others = 4L * half;
        LongStream.rangeClosed(1, others + 2 * half).forEach(waits::await);
        Look first = next();

        LongStream.rangeClosed(others + 1, others + 2 * half).forEach(waits::ended);
        first.answer().complete(List.of());

        Look second = next();
        assertThat(second.ids()).hasSize(2 * half).filteredOn(id -> id > others).hasSize(half);
        second.answer().complete(List.of());
        assertThat(next().ids())
                .as("those that had no place in the last one")
                .containsAll(LongStream.rangeClosed(others + half + 1, others + 2 * half)
                        .boxed()
                        .toList());
    }

    private Look next() throws InterruptedException {
        return Objects.requireNonNull(looks.poll(30, TimeUnit.SECONDS));
    }

    private static List<Ended> nowhere() {
        return List.of(new Ended(ID, null, null, null));
    }

    private static List<Ended> completed() {
        return List.of(new Ended(ID, "completed", null, null));
    }
}
