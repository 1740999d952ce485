package dev.rowlock.queue.internal.node.handler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.ClaimLostException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.transaction.support.TransactionTemplate;

/** What a handler notes for the next attempt of its job. */
@PostgresTest(freshPerTest = true, migrated = true)
@Representative
class CheckpointsTest extends NodeTest {

    record Position(int page, String name) {}

    private final Queue<String> found = new ConcurrentLinkedQueue<>();

    private String position(JobContext context) {
        return context.checkpoint(Position.class).map(Object::toString).orElse("none");
    }

    @Test
    void theNextAttemptFindsWhatTheLastOneNoted() {
        node.listener(Greet.class, (context, payload) -> {
                    found.add(position(context));
                    context.saveCheckpoint(new Position(context.attempt(), "é"));
                    found.add(position(context));
                    throw new IllegalStateException("no " + context.attempt());
                })
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(1)), JobState.DEAD);

        String first = new Position(1, "é").toString();
        assertThat(found).containsExactly("none", first, first, new Position(2, "é").toString());
    }

    @Test
    void aSnoozeAndARedriveKeepIt() {
        node.listener(Greet.class, (context, payload) -> {
                    int page = context.checkpoint(Position.class)
                            .map(Position::page)
                            .orElse(0);
                    found.add("page " + page);
                    context.saveCheckpoint(new Position(page + 1, "a"));
                    if (page == 0) {
                        throw new SnoozeException(Duration.ofMillis(1));
                    }
                    if (page == 1) {
                        throw new IllegalStateException("dead");
                    }
                    return null;
                })
                .start();

        long id = node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(0));
        node.awaitState(id, JobState.DEAD);
        node.admin.redrive(id);
        node.awaitState(id, JobState.COMPLETED);

        assertThat(found).containsExactly("page 0", "page 1", "page 2");
    }

    @Test
    void anotherNodeFindsItAfterACrash() {
        long id = node.jobs.enqueue(new Greet("orphan"));
        node.others.claimForADeadNode();
        node.sql
                .sql(
                        "INSERT INTO rowlock.checkpoint SELECT id, token, now(), '{\"page\": 7, \"name\": \"dead\"}' FROM rowlock.running")
                .update();

        node.lease(Duration.ofSeconds(1), Duration.ofMillis(100), 3)
                .listener(Greet.class, (context, payload) -> position(context))
                .start();
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).contains("page=7");
    }

    @Test
    void aZombiesCheckpointIsRefused() {
        node.listener(Greet.class, (context, payload) -> {
                    context.saveCheckpoint(new Position(1, "mine"));
                    node.others.takeAway(context);
                    assertThatThrownBy(() -> context.saveCheckpoint(new Position(2, "zombie's")))
                            .isInstanceOf(ClaimLostException.class);
                    assertThatThrownBy(() -> context.checkpoint(Position.class)).isInstanceOf(ClaimLostException.class);
                    return null;
                })
                .start();

        node.awaitEvent("lost " + node.jobs.enqueue(new Greet("Ada")));

        assertThat(stored()).containsExactly("{\"page\":1,\"name\":\"mine\"}");
    }

    @Test
    void aStepAndItsCheckpointCommitTogetherOrNotAtAll() {
        node.sql.sql("CREATE TABLE step (page int PRIMARY KEY)").update();
        node.listener(Greet.class, (context, payload) -> {
                    int page = context.checkpoint(Position.class)
                            .map(Position::page)
                            .orElse(0);
                    node.transactions.executeWithoutResult(status -> step(context, page + 1));
                    assertThatThrownBy(() -> node.transactions.executeWithoutResult(status -> {
                                step(context, page + 2);
                                throw new IllegalStateException("rolls back");
                            }))
                            .hasMessage("rolls back");
                    throw new IllegalStateException("again");
                })
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(2)), JobState.DEAD);

        assertThat(steps()).containsExactly(1, 2, 3);
        assertThat(stored()).containsExactly("{\"page\":3,\"name\":\"step\"}");
    }

    @Test
    void aZombiesStepIsRolledBackWithItsCheckpoint() {
        node.sql.sql("CREATE TABLE step (page int PRIMARY KEY)").update();
        node.listener(Greet.class, (context, payload) -> {
                    node.others.takeAway(context);
                    assertThatThrownBy(() -> node.transactions.executeWithoutResult(status -> step(context, 1)))
                            .isInstanceOf(ClaimLostException.class);
                    return null;
                })
                .start();

        node.awaitEvent("lost " + node.jobs.enqueue(new Greet("Ada")));

        assertThat(steps()).isEmpty();
        assertThat(stored()).isEmpty();
    }

    @Test
    void nobodyTakesTheJobWhileAStepIsOpen() throws InterruptedException {
        CountDownLatch open = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
                    node.transactions.executeWithoutResult(status -> {
                        context.saveCheckpoint(new Position(1, "open"));
                        open.countDown();
                        await(goOn);
                    });
                    return null;
                })
                .start();
        node.jobs.enqueue(new Greet("Ada"));
        assertThat(open.await(20, TimeUnit.SECONDS)).isTrue();

        List<Long> free = node.elsewhere
                .sql("SELECT id FROM rowlock.running FOR UPDATE SKIP LOCKED")
                .query(Long.class)
                .list();
        int asked =
                node.elsewhere.sql("UPDATE rowlock.running SET progress = 1").update();
        goOn.countDown();

        assertThat(free).isEmpty();
        assertThat(asked).isEqualTo(1);
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(20, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void theCheckpointsOfATransactionalListenerAreRolledBackWithItsAttempt() {
        node.listener(
                        Greet.class,
                        (context, payload) -> {
                            found.add(position(context));
                            context.saveCheckpoint(new Position(1, "lost"));
                            found.add(position(context));
                            throw new IllegalStateException("no");
                        },
                        TestNode::transactional)
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("Ada"), o -> o.maxRetries(0)), JobState.DEAD);

        assertThat(found).containsExactly("none", new Position(1, "lost").toString());
        assertThat(stored()).isEmpty();
    }

    @Test
    void whatCannotBeACheckpointIsRefused() {
        AtomicReference<Throwable> large = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    assertThatThrownBy(() -> context.saveCheckpoint(null))
                            .isInstanceOf(IllegalArgumentException.class)
                            .hasMessageContaining("null");
                    context.saveCheckpoint("x".repeat((64 << 10) - 2));
                    assertThatThrownBy(() -> context.saveCheckpoint("x".repeat((64 << 10) - 1)))
                            .satisfies(large::set);
                    assertThatThrownBy(() -> readOnly().executeWithoutResult(status -> context.saveCheckpoint(1)))
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContaining("read-only");
                    return null;
                })
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("Ada")), JobState.COMPLETED);

        assertThat(large.get())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a checkpoint of 65537 bytes as JSON is too large: 65536 are allowed. Store the data in a table of your own and save where it is");
    }

    private TransactionTemplate readOnly() {
        TransactionTemplate readOnly = new TransactionTemplate(node.transactions.getTransactionManager());
        readOnly.setReadOnly(true);
        return readOnly;
    }

    @Test
    void aListenerThatHasReturnedCanSaveNothing() {
        AtomicReference<JobContext> kept = new AtomicReference<>();
        node.listener(Greet.class, (context, payload) -> {
                    kept.set(context);
                    return null;
                })
                .start();

        node.awaitState(node.jobs.enqueue(new Greet("Ada")), JobState.COMPLETED);

        assertThatThrownBy(() -> kept.get().saveCheckpoint(1)).isInstanceOf(IllegalStateException.class);
    }

    private void step(JobContext context, int page) {
        node.sql.sql("INSERT INTO step VALUES (?)").param(page).update();
        context.saveCheckpoint(new Position(page, "step"));
    }

    private List<Integer> steps() {
        return node.sql
                .sql("SELECT page FROM step ORDER BY page")
                .query(Integer.class)
                .list();
    }

    private List<String> stored() {
        return node.sql
                .sql("SELECT data::text FROM rowlock.checkpoint")
                .query(String.class)
                .list();
    }
}
