package dev.rowlock.queue.internal.result;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.result.AwaitedJobStatements.Ended;
import dev.rowlock.queue.internal.result.AwaitedJobStatements.Found;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Who begins to wait while others are told of a look that was asked before. */
class NewcomersDuringALookTest {

    private static final Duration LONG = Duration.ofMinutes(1);
    private static final long ID = 7;

    private final BlockingQueue<CompletableFuture<List<Ended>>> looks = new LinkedBlockingQueue<>();
    private final Waits waits = new Waits(ids -> new Found(look().join(), true), Duration.ofMillis(1), ids -> {});
    private volatile boolean over;

    private CompletableFuture<List<Ended>> look() {
        CompletableFuture<List<Ended>> answer = new CompletableFuture<>();
        looks.add(answer);
        return over ? CompletableFuture.completedFuture(List.of()) : answer;
    }

    @AfterEach
    void close() {
        over = true;
        looks.forEach(look -> look.complete(List.of()));
        waits.close();
    }

    /** The first one knows the id before the commit, and the second look still sees no job. Then comes the commit, and with it who knows of that. */
    @Test
    void whoKnowsOfTheCommitIsNotToldByAnOlderLookThatThereIsNoJob() throws Exception {
        CompletableFuture<Ended> tooEarly = waits.await(ID);
        next().complete(nowhere());
        CompletableFuture<List<Ended>> older = next();

        CompletableFuture<Ended> afterCommit = waits.await(ID);
        older.complete(nowhere());
        assertThat(tooEarly).succeedsWithin(LONG).isEqualTo(nowhere().get(0));
        next().complete(completed());

        assertThat(afterCommit).succeedsWithin(LONG).isEqualTo(completed().get(0));
    }

    /** A job that was dead has another life by then. */
    @Test
    void whoKnowsOfARedriveIsNotToldByAnOlderLookThatTheJobIsDead() throws Exception {
        CompletableFuture<Ended> before = waits.await(ID);
        CompletableFuture<List<Ended>> older = next();

        CompletableFuture<Ended> afterRedrive = waits.await(ID);
        older.complete(List.of(new Ended(ID, "failed", null, null)));
        assertThat(before).succeedsWithin(LONG).extracting(Ended::state).isEqualTo("failed");
        next().complete(completed());

        assertThat(afterRedrive).succeedsWithin(LONG).isEqualTo(completed().get(0));
    }

    @Test
    void aNewcomerWhoLeavesBeforeTheAnswerIsForgotten() throws Exception {
        CompletableFuture<Ended> first = waits.await(ID);
        CompletableFuture<List<Ended>> look = next();

        waits.leave(ID, waits.await(ID));
        look.complete(completed());

        assertThat(first).succeedsWithin(LONG);
        assertThat(waits.size()).isZero();
    }

    private CompletableFuture<List<Ended>> next() throws InterruptedException {
        return Objects.requireNonNull(looks.poll(30, TimeUnit.SECONDS));
    }

    private static List<Ended> nowhere() {
        return List.of(new Ended(ID, null, null, null));
    }

    private static List<Ended> completed() {
        return List.of(new Ended(ID, "completed", null, null));
    }
}
