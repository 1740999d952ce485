package dev.rowlock.queue.internal.run;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.internal.node.NodeTest;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.test.postgres.PostgresTest;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** What handlers leave on their thread is gone when the next one runs on it. */
@PostgresTest(freshPerTest = true, migrated = true)
class TracesOfHandlersTest extends NodeTest {

    record Leave(int number) {}

    record Look(int number) {}

    private final AtomicReference<List<Object>> seen = new AtomicReference<>();

    @BeforeEach
    void lookAtTheThread() {
        node.concurrency(1).listener(Look.class, (context, payload) -> {
            Thread thread = Thread.currentThread();
            List<Object> state = new ArrayList<>();
            state.add(thread.isInterrupted());
            state.add(thread.getName());
            state.add(thread.getPriority());
            state.add(thread.getContextClassLoader());
            state.add(MDC.get("tenant") == null);
            state.add(LocaleContextHolder.getLocaleContext() == null);
            state.add(TransactionSynchronizationManager.isActualTransactionActive());
            state.add(TransactionSynchronizationManager.isSynchronizationActive());
            state.add(TransactionSynchronizationManager.getResourceMap().size());
            seen.set(state);
            return null;
        });
    }

    private List<Object> look() {
        long id = node.jobs.enqueue(new Look(1));
        node.awaitState(id, JobState.COMPLETED);
        return seen.get();
    }

    @Test
    void nothingOfTheThreadItselfIsChanged() {
        node.listener(Leave.class, (context, payload) -> {
                    Thread thread = Thread.currentThread();
                    thread.setName("mine");
                    thread.setPriority(Thread.MAX_PRIORITY);
                    thread.setContextClassLoader(new URLClassLoader(new URL[0]));
                    MDC.put("tenant", "acme");
                    LocaleContextHolder.setLocale(Locale.FRENCH);
                    thread.interrupt();
                    return null;
                })
                .start();
        List<Object> before = look();

        long id = node.jobs.enqueue(new Leave(1));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(look()).isEqualTo(before);
    }

    @Test
    void aTransactionThatWasLeftOpenIsRolledBack() {
        node.sql.sql("CREATE TABLE effect (job bigint)").update();
        AtomicReference<Integer> ended = new AtomicReference<>();
        node.listener(Leave.class, (context, payload) -> {
                    DataSource pool = node.pool;
                    new DataSourceTransactionManager(pool).getTransaction(new DefaultTransactionDefinition());
                    TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                        @Override
                        public void afterCompletion(int status) {
                            ended.set(status);
                        }
                    });
                    TransactionSynchronizationManager.bindResource("a key", "a resource");
                    node.sql.sql("INSERT INTO effect VALUES (1)").update();
                    return null;
                })
                .start();
        List<Object> before = look();

        long id = node.jobs.enqueue(new Leave(1));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(look()).isEqualTo(before);
        assertThat(node.sql.sql("SELECT count(*) FROM effect").query(Long.class).single())
                .isZero();
        assertThat(ended).hasValue(TransactionSynchronization.STATUS_ROLLED_BACK);
    }

    @Test
    void aCompletionInATransactionThatWasLeftOpenFailsTheAttempt() {
        node.listener(Leave.class, (context, payload) -> {
                    if (context.attempt() == 1) {
                        new DataSourceTransactionManager(node.pool).getTransaction(new DefaultTransactionDefinition());
                        context.completeInTransaction("never");
                    }
                    return "second";
                })
                .start();

        long id = node.jobs.enqueue(new Leave(1));
        node.awaitState(id, JobState.COMPLETED);

        assertThat(node.search.find(id).orElseThrow().result()).isEqualTo("\"second\"");
        assertThat(node.search.find(id).orElseThrow().errors()).hasSize(1);
    }
}
