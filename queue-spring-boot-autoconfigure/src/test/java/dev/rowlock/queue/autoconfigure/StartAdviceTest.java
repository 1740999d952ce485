package dev.rowlock.queue.autoconfigure;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.autoconfigure.failure.RowlockFailureAnalyzer;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.AbstractPlatformTransactionManager;
import org.springframework.transaction.support.DefaultTransactionStatus;

@PostgresTest
@ExtendWith(OutputCaptureExtension.class)
class StartAdviceTest {

    private final ApplicationContextRunner contexts;

    StartAdviceTest(TestDatabase database) {
        this.contexts = Contexts.on(database);
    }

    record Order(int number) {}

    static class Transactional {
        @JobListener(queue = "Big.Q", concurrency = "4", transactional = true)
        void on(Order order) {}
    }

    @Test
    void anOrdinaryStartWarnsOfNothing(CapturedOutput output) {
        contexts.withBean(Greeter.class).withBean(Transactional.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output).doesNotContain("WARN");
        });
    }

    @Test
    void aQueueThatNoListenerListensToStopsTheStart() {
        assertRefused(
                contexts.withBean(Greeter.class)
                        .withPropertyValues(
                                "rowlock.queues.greeting.concurrency=2", "rowlock.queues.greetings.concurrency=3"),
                "rowlock.queues.greeting: no listener here listens to that queue; there are [greetings]");
    }

    @Test
    void theErrorSaysThatAQueueNeedsBrackets() {
        assertRefused(
                contexts.withBean(Transactional.class).withPropertyValues("rowlock.queues.Big.Q.concurrency=1"),
                "rowlock.queues.big.q.concurrency is not read");
    }

    @Test
    void aPatternThatFitsNoQueueStopsTheStart() {
        assertRefused(
                contexts.withBean(Greeter.class).withPropertyValues("rowlock.worker.queues=greetings,mial-*"),
                "rowlock.worker.queues: no listener here listens to 'mial-*'; there are [greetings]");
    }

    @Test
    void configurationThatApplicationsShareMayNameOthersQueues() {
        contexts.withBean(Greeter.class)
                .withPropertyValues(
                        "rowlock.worker.allow-unknown-queues=true",
                        "rowlock.queues.reports.concurrency=2",
                        "rowlock.worker.queues=greetings,reports")
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static void assertRefused(ApplicationContextRunner contexts, String problem) {
        contexts.run(context -> {
            FailureAnalysis analysis = requireNonNull(
                    new RowlockFailureAnalyzer(null).analyze(requireNonNull(context.getStartupFailure())));

            assertThat(analysis.getDescription()).contains(problem);
        });
    }

    @Test
    void aQueueInBracketsIsRead(CapturedOutput output) {
        contexts.withBean(Transactional.class)
                .withPropertyValues("rowlock.queues[Big.Q].concurrency=1")
                .run(context -> assertThat(output).contains("Big.Q").doesNotContain("WARN"));
    }

    @Test
    void aPoolThatIsSmallerThanWhatTransactionalListenersMayHoldIsTooSmall(CapturedOutput output) {
        contexts.withBean(Transactional.class)
                .withPropertyValues("spring.datasource.hikari.maximum-pool-size=3")
                .run(context -> assertThat(output).contains("may hold 4 connections at once, and the pool has 3"));
    }

    static class TransactionalByDefault {
        @JobListener(transactional = true)
        void on(Order order) {}
    }

    @Test
    void aTransactionalListenerWithAllDefaultsWarnsOfNothing(CapturedOutput output) {
        contexts.withBean(TransactionalByDefault.class).run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(output)
                    .contains("may hold all 10 connections of the pool")
                    .doesNotContain("WARN");
        });
    }

    @Test
    void aDrainThatOutlastsTheShutdownIsTooLong(CapturedOutput output) {
        contexts.withBean(Greeter.class)
                .withPropertyValues("spring.lifecycle.timeout-per-shutdown-phase=15s")
                .run(context -> assertThat(output).contains("rowlock.worker.drain-timeout (20 s)"));
    }

    @Test
    void aTransactionManagerThatDoesNotManageRowlocksDataSourceStopsTheStart() {
        contexts.withBean(Transactional.class)
                .withBean("somethingElses", PlatformTransactionManager.class, SomethingElses::new)
                .run(context -> {
                    FailureAnalysis analysis = requireNonNull(
                            new RowlockFailureAnalyzer(null).analyze(requireNonNull(context.getStartupFailure())));

                    assertThat(analysis.getDescription()).contains("SomethingElses");
                    assertThat(analysis.getAction()).contains("@RowlockTransactionManager");
                });
    }

    @Test
    void aTransactionManagerWithoutSynchronizationStopsTheStart() {
        contexts.withBean(Transactional.class)
                .withBean(PlatformTransactionManager.class, UnsynchronizedManager::new)
                .run(context -> {
                    FailureAnalysis analysis = requireNonNull(
                            new RowlockFailureAnalyzer(null).analyze(requireNonNull(context.getStartupFailure())));

                    assertThat(analysis.getDescription()).contains("UnsynchronizedManager", "no synchronization");
                    assertThat(analysis.getAction()).contains("SYNCHRONIZATION_ALWAYS");
                });
    }

    /** Of Rowlock's DataSource. */
    static final class UnsynchronizedManager extends DataSourceTransactionManager {

        private static final long serialVersionUID = 1L;

        UnsynchronizedManager() {
            setTransactionSynchronization(SYNCHRONIZATION_NEVER);
        }

        @Autowired
        @Override
        public void setDataSource(@Nullable DataSource dataSource) {
            super.setDataSource(dataSource);
        }
    }

    @Test
    void aTransactionManagerThatNoListenerUsesIsNotTried() {
        contexts.withBean(Greeter.class)
                .withBean("somethingElses", PlatformTransactionManager.class, SomethingElses::new)
                .run(context -> assertThat(context).hasNotFailed());
    }

    /** Manages some other resource, and does not tell which. */
    static final class SomethingElses extends AbstractPlatformTransactionManager {

        private static final long serialVersionUID = 1L;

        @Override
        protected Object doGetTransaction() {
            return new Object();
        }

        @Override
        protected void doBegin(Object transaction, TransactionDefinition definition) {}

        @Override
        protected void doCommit(DefaultTransactionStatus status) {}

        @Override
        protected void doRollback(DefaultTransactionStatus status) {}
    }
}
