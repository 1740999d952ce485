package dev.rowlock.queue.internal.node.fault;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.rowlock.queue.internal.node.TestNode;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** As if memory had run out: each connection that a thread of Rowlock asks for throws an error, and so does each log line. */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class WithoutMemoryTest {

    public record Greet(String name) {}

    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private final NoMemory noMemory = new NoMemory();
    private final Logger log = (Logger) LoggerFactory.getLogger("dev.rowlock");
    private TestNode node;

    @BeforeEach
    void prepare(TestDatabase database) {
        node = new TestNode(starving(database.dataSource()), starving(database.unpooled()));
        noMemory.start();
        log.addAppender(noMemory);
    }

    @AfterEach
    void close() {
        noMemory.stop();
        log.detachAppender(noMemory);
        node.close();
    }

    @Test
    void noThreadEndsThoughNotEvenTheErrorsCanBeLogged() {
        node.listener(Greet.class, (context, payload) -> null).start();
        node.awaitHearing();
        long before = node.jobs.enqueue(new Greet("before"));
        node.awaitState(before, JobState.COMPLETED);
        Set<String> threads = ownThreads();

        noMemory.now = true;
        node.elsewhere
                .sql("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity"
                        + " WHERE datname = current_database() AND pid <> pg_backend_pid()")
                .query(Long.class)
                .single();
        Awaitility.await()
                .until(() -> failed.containsAll(Set.of(
                        "rowlock-lease",
                        "rowlock-notifications",
                        "rowlock-dispatcher",
                        "rowlock-janitor",
                        "rowlock-fetcher-default")));
        noMemory.now = false;

        long after = node.jobs.enqueue(new Greet("after"));
        long later = node.jobs.enqueue(new Greet("later"), o -> o.delay(Duration.ofMillis(10)));
        node.awaitState(after, JobState.COMPLETED);
        node.awaitState(later, JobState.COMPLETED);
        assertThat(ownThreads()).containsAll(threads);
        Awaitility.await().until(() -> node.status().beats());
    }

    @Test
    void aJobWhoseOutcomeFindsNoMemoryIsNotHeldForEver() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        node.listener(Greet.class, (context, payload) -> {
                    begun.countDown();
                    end.await();
                    return null;
                })
                .start();
        long id = node.jobs.enqueue(new Greet("Ada"));
        begun.await();

        noMemory.now = true;
        end.countDown();
        Awaitility.await().until(() -> failed.contains("rowlock-recorder"));
        noMemory.now = false;

        node.awaitState(id, JobState.COMPLETED);
    }

    private static Set<String> ownThreads() {
        Set<String> names = ConcurrentHashMap.newKeySet();
        Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("rowlock-"))
                // A thread that asked a policy of another test: it ends some seconds after its last call.
                .filter(name -> !name.startsWith("rowlock-policy-call-"))
                .forEach(names::add);
        return names;
    }

    private DataSource starving(DataSource target) {
        return new DelegatingDataSource(target) {
            @Override
            public Connection getConnection() throws SQLException {
                noMemory.fail();
                return super.getConnection();
            }
        };
    }

    /** Also an appender of the log. */
    private final class NoMemory extends AppenderBase<ILoggingEvent> {

        private volatile boolean now;

        void fail() {
            String thread = Thread.currentThread().getName();
            if (now && thread.startsWith("rowlock-")) {
                failed.add(thread);
                throw new OutOfMemoryError("for a test");
            }
        }

        @Override
        protected void append(ILoggingEvent event) {
            fail();
        }
    }
}
