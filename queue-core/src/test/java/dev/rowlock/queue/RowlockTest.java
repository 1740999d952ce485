package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.node.WorkerNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.spi.DuplicateJobListenerException;
import dev.rowlock.queue.spi.InvalidJobListenerException;
import dev.rowlock.queue.spi.NodeStatus;
import dev.rowlock.queue.spi.UnsuitableTransactionsException;
import dev.rowlock.queue.spring.AnnotatedListeners;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

@PostgresTest(freshPerTest = true, migrated = true)
class RowlockTest {

    record Greeting(String to) {}

    @JobType(value = "bill", queue = "billing")
    record Bill(int amount) {}

    private final DataSource pool;
    private final JdbcClient sql;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final Rowlocks rowlocks = new Rowlocks();

    RowlockTest(TestDatabase database) {
        this.pool = database.dataSource();
        this.sql = JdbcClient.create(pool);
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    // Listeners

    @Test
    void aJobRunsInALambda() throws InterruptedException {
        Rowlock rowlock =
                rowlocks.started(quick(pool).listener(Greeting.class, (greeting, job) -> heard.add(greeting.to())));

        long id = rowlock.jobs().enqueue(new Greeting("Ada"));

        assertThat(next()).isEqualTo("Ada");
        awaitState(rowlock, id, JobState.COMPLETED);
    }

    @Test
    void aLambdaTakesTheTypeAndTheQueueOfItsPayload() {
        Rowlock rowlock = rowlocks.built(quick(pool).listener(Bill.class, (bill, job) -> heard.add("bill")));

        assertThat(rowlock.listeners()).singleElement().satisfies(listener -> {
            assertThat(listener.type()).isEqualTo("bill");
            assertThat(listener.queue()).isEqualTo("billing");
        });
    }

    @Test
    void optionsSayHowALambdaRunsItsJobs() throws InterruptedException {
        RetryPolicy once = RetryPolicy.DEFAULT.maxRetries(1);
        Rowlock rowlock = rowlocks.started(quick(pool)
                .listener(
                        Greeting.class,
                        o -> o.queue("hall")
                                .concurrency(3)
                                .timeout(Duration.ofSeconds(9))
                                .retry(once)
                                .noRetryFor(List.of(IllegalStateException.class)),
                        (greeting, job) -> heard.add(greeting.to() + " in " + job.queue())));

        rowlock.jobs().enqueue(new Greeting("Ada"));

        assertThat(next()).isEqualTo("Ada in hall");
        assertThat(rowlock.queues()).containsExactly(java.util.Map.entry("hall", 3));
        assertThat(rowlock.listeners()).singleElement().satisfies(listener -> {
            assertThat(listener.timeout()).isEqualTo(Duration.ofSeconds(9));
            assertThat(listener.retry()).isEqualTo(once);
            assertThat(listener.noRetryFor()).containsExactly(IllegalStateException.class);
        });
    }

    @Test
    void aLambdaMayTakeATypeThatIsNotNamedAfterItsPayload() throws InterruptedException {
        Rowlock rowlock = rowlocks.started(quick(pool)
                .listener(Greeting.class, (greeting, job) -> {})
                .listener("old-greeting", Greeting.class, (greeting, job) -> heard.add(job.type())));
        sql.sql("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, attempt, crashes, queue, type, payload)
                VALUES (nextval('rowlock.job_id'), now(), now(), 0, 0, 0, 'default', 'old-greeting', '{"to":"Ada"}')
                """).update();

        assertThat(next()).isEqualTo("old-greeting");
        assertThat(rowlock.status().state()).isNotEqualTo(NodeStatus.State.STOPPED);
    }

    static final class Greeter {

        private final Queue<String> heard;

        Greeter(Queue<String> heard) {
            this.heard = heard;
        }

        @JobListener(queue = "${rowlock.test.hall:hall}")
        void greet(Greeting greeting) {
            heard.add("hello " + greeting.to());
        }
    }

    @Test
    void annotatedObjectsNeedNoApplicationContext() throws InterruptedException {
        Rowlock rowlock = rowlocks.started(quick(pool).listeners(AnnotatedListeners.of(new Greeter(heard))));

        long id = rowlock.jobs().enqueue(new Greeting("Ada"));

        assertThat(next()).isEqualTo("hello Ada");
        assertThat(rowlock.search().find(id).orElseThrow().queue()).isEqualTo("hall");
    }

    @Test
    void anObjectWithoutAListenerIsRefused() {
        assertThatThrownBy(() -> AnnotatedListeners.of("a string"))
                .isInstanceOf(InvalidJobListenerException.class)
                .hasMessageContaining("java.lang.String has no @JobListener");
    }

    @Test
    void twoListenersOfOneTypeAreRefusedWhereverTheyComeFrom() {
        Rowlock rowlock = rowlocks.built(quick(pool)
                .listener(Greeting.class, (greeting, job) -> heard.add("lambda"))
                .listeners(AnnotatedListeners.of(new Greeter(heard))));

        assertThatThrownBy(rowlock::start)
                .isInstanceOf(DuplicateJobListenerException.class)
                .hasMessageContaining("'Greeting'");
    }

    // Transactions

    @Test
    void aTransactionalListenerNeedsNothingButTheDataSource() throws InterruptedException {
        sql.sql("CREATE TABLE entry (amount int)").update();
        Rowlock rowlock = rowlocks.started(quick(pool).listener(Bill.class, o -> o.transactional(true), (bill, job) -> {
            sql.sql("INSERT INTO entry VALUES (?)").param(bill.amount()).update();
            heard.add("written");
            if (job.attempt() == 1) {
                throw new IllegalStateException("on purpose");
            }
        }));

        long id = rowlock.jobs().enqueue(new Bill(7));

        awaitState(rowlock, id, JobState.COMPLETED);
        assertThat(heard).hasSize(2);
        assertThat(sql.sql("SELECT amount FROM entry").query(Integer.class).list())
                .containsExactly(7);
    }

    @Test
    void transactionsOfAnotherDataSourceStopTheStart(TestDatabase database) {
        TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(database.unpooled()));
        Rowlock rowlock = rowlocks.built(
                quick(pool).transactions(elsewhere).listener(Bill.class, o -> o.transactional(true), (bill, job) -> {
                    heard.add("never");
                }));

        assertThatThrownBy(rowlock::start)
                .isInstanceOf(UnsuitableTransactionsException.class)
                .hasMessageContaining("JdbcTransactionManager");
    }

    @Test
    void aTransactionalListenerWithoutTransactionsStopsTheStart() {
        Rowlock rowlock = rowlocks.built(
                quick(pool).transactions(() -> null).listener(Bill.class, o -> o.transactional(true), (bill, job) -> {
                    heard.add("never");
                }));

        assertThatThrownBy(rowlock::start)
                .isInstanceOf(InvalidJobListenerException.class)
                .hasMessageContaining("no transaction manager");
    }

    // Life

    @Test
    void itCanBeStoppedAndStartedAgainUntilItIsClosed() throws InterruptedException {
        Rowlock rowlock =
                rowlocks.started(quick(pool).listener(Greeting.class, (greeting, job) -> heard.add(greeting.to())));
        rowlock.stop();
        rowlock.jobs().enqueue(new Greeting("later"));
        assertThat(rowlock.status()).isEqualTo(WorkerNode.STOPPED);

        rowlock.start();
        assertThat(next()).isEqualTo("later");

        rowlock.close();
        assertThat(rowlock.status()).isEqualTo(WorkerNode.STOPPED);
        assertThatThrownBy(rowlock::start).isInstanceOf(IllegalStateException.class);
        assertThat(sql.sql("SELECT 1").query(Integer.class).single()).isEqualTo(1);
    }

    @Test
    void anEnqueueOnlyRowlockRunsNothingAndStillKnowsTheQueues() {
        Rowlock rowlock = rowlocks.started(
                quick(pool).enqueueOnly().listener(Greeting.class, o -> o.queue("hall"), (greeting, job) -> {
                    heard.add("never");
                }));

        long id = rowlock.jobs().enqueue(new Greeting("Ada"));

        assertThat(rowlock.status()).isEqualTo(WorkerNode.STOPPED);
        JobDetails job = rowlock.search().find(id).orElseThrow();
        assertThat(job.state()).isEqualTo(JobState.READY);
        assertThat(job.queue()).isEqualTo("hall");
    }

    @Test
    void theProcessLastsAsLongAsJobsRun() {
        Rowlock rowlock = rowlocks.started(quick(pool).keepAlive(true).listener(Greeting.class, (greeting, job) -> {}));
        assertThat(keepers()).hasSize(1).allMatch(thread -> !thread.isDaemon());

        rowlock.close();

        Awaitility.await().until(() -> keepers().isEmpty());
    }

    private static List<Thread> keepers() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().equals("rowlock-keep-alive"))
                .toList();
    }

    // Tables

    @Test
    void theTablesAreMadeWhenItIsBuilt() {
        dropTables();

        rowlocks.built(Rowlock.builder(pool).schema("jobs"));

        assertThat(schemas()).contains("jobs").doesNotContain("rowlock");
    }

    @Test
    void theTablesAreMadeAtTheStartIfThatIsAskedFor() {
        dropTables();
        Rowlock rowlock = rowlocks.built(Rowlock.builder(pool).schemaOnStart(SchemaMode.MIGRATE));
        assertThat(schemas()).doesNotContain("rowlock");

        rowlock.start();

        assertThat(schemas()).contains("rowlock");
    }

    @Test
    void aSchemaPreparedElsewhereIsLeftAlone() {
        dropTables();
        Rowlock rowlock = rowlocks.built(Rowlock.builder(pool).schemaElsewhere());

        rowlock.start();

        assertThat(schemas()).doesNotContain("rowlock");
    }

    private void dropTables() {
        sql.sql("DROP SCHEMA rowlock CASCADE").update();
    }

    private Set<String> schemas() {
        return sql.sql("SELECT nspname::text FROM pg_namespace")
                .query(String.class)
                .set();
    }

    @Test
    void impossibleSettingsAreRefused() {
        assertThatThrownBy(() -> Rowlock.builder(pool).maxPayload(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Rowlock.builder(pool).schema("No Schema").build())
                .isInstanceOf(IllegalArgumentException.class);
    }

    private String next() throws InterruptedException {
        return String.valueOf(heard.poll(20, TimeUnit.SECONDS));
    }

    private static void awaitState(Rowlock rowlock, long id, JobState state) {
        Awaitility.await().until(() -> rowlock.search().find(id).orElseThrow().state() == state);
    }
}
