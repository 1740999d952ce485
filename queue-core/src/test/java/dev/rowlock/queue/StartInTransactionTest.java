package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.spi.JobObserver;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A node that the application starts on a thread that is in the middle of something. */
@PostgresTest(freshPerTest = true, migrated = true)
class StartInTransactionTest {

    record Work(String what) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<String> told = new CopyOnWriteArrayList<>();
    private final JdbcClient sql;
    private final TransactionTemplate transaction;
    private final Rowlock rowlock;

    StartInTransactionTest(TestDatabase database) {
        sql = JdbcClient.create(database.dataSource());
        transaction = new TransactionTemplate(new JdbcTransactionManager(database.dataSource()));
        rowlock = rowlocks.built(Rowlocks.quick(database.dataSource())
                .transactions(transaction)
                .observer(new JobObserver() {
                    @Override
                    public boolean immediate() {
                        return true;
                    }

                    @Override
                    public void listening(ListenerDefinition listener) {
                        told.add(listener.type());
                        MDC.put("of", "the observer");
                        LocaleContextHolder.setLocale(Locale.JAPAN);
                    }
                })
                .listener(Work.class, o -> o.transactional(true), (work, job) -> {}));
    }

    @AfterEach
    void close() throws Exception {
        MDC.clear();
        LocaleContextHolder.resetLocaleContext();
        rowlocks.close();
    }

    @Test
    void theCallersTransactionGoesOnAndCommits() {
        sql.sql("CREATE TABLE written (text text)").update();

        Long id = transaction.execute(status -> {
            sql.sql("INSERT INTO written VALUES ('before')").update();
            rowlock.start();
            assertThat(status.isRollbackOnly()).isFalse();
            sql.sql("INSERT INTO written VALUES ('after')").update();
            return rowlock.jobs().enqueue(new Work("in the same transaction"));
        });

        assertThat(told).containsExactly("Work");
        assertThat(sql.sql("SELECT text FROM written").query(String.class).list())
                .containsExactly("before", "after");
        assertThat(rowlock.search().find(id)).isPresent();
    }

    @Test
    void theCallersLogContextAndLocaleStay() {
        MDC.put("request", "7");
        LocaleContextHolder.setLocale(Locale.GERMANY);

        rowlock.start();

        assertThat(told).containsExactly("Work");
        assertThat(MDC.getCopyOfContextMap()).containsOnly(Map.entry("request", "7"));
        assertThat(LocaleContextHolder.getLocale()).isEqualTo(Locale.GERMANY);
    }
}
