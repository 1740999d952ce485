package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Promise 1: the job exists if and only if the caller's transaction commits. */
@PostgresTest(migrated = true)
class JobTemplateTransactionTest {

    record SendMail(String to) {}

    private final TestDatabase test;
    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobTemplate jobs;
    private final DataSourceTransactionManager transactions;
    private final TransactionTemplate transaction;

    JobTemplateTransactionTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        rooms.execute("CREATE TABLE IF NOT EXISTS customer (name text)");
        rooms.execute("TRUNCATE customer");
        jobs = template(rooms.database());
        transactions = new DataSourceTransactionManager(test.dataSource());
        transaction = new TransactionTemplate(transactions);
    }

    @Test
    void businessRowsAndJobsCommitTogether() {
        Long id = transaction.execute(status -> {
            rooms.execute("INSERT INTO customer VALUES ('ada')");
            return jobs.enqueue(new SendMail("ada"));
        });

        assertThat(rooms.roomsOf(id)).containsExactly("ready");
        assertThat(rooms.count("ready")).isEqualTo(1);
        assertThat(customers()).isEqualTo(1);
    }

    @Test
    void businessRowsAndJobsRollBackTogether() {
        transaction.executeWithoutResult(status -> {
            rooms.execute("INSERT INTO customer VALUES ('ada')");
            jobs.enqueue(new SendMail("ada"));
            jobs.enqueueAll(List.of(new SendMail("bob"), new SendMail("cid")));
            assertThat(rooms.count("ready")).isEqualTo(3);
            status.setRollbackOnly();
        });

        assertThat(rooms.count("ready")).isZero();
        assertThat(customers()).isZero();
    }

    @Test
    void aStreamInATransactionIsAllOrNothing() {
        transaction.executeWithoutResult(status -> {
            jobs.enqueueAll(IntStream.range(0, 5_000).mapToObj(i -> JobRequest.of(new SendMail("" + i))));
            status.setRollbackOnly();
        });
        assertThat(rooms.count("ready")).isZero();

        transaction.executeWithoutResult(status ->
                jobs.enqueueAll(IntStream.range(0, 5_000).mapToObj(i -> JobRequest.of(new SendMail("" + i)))));
        assertThat(rooms.count("ready")).isEqualTo(5_000);
    }

    @Test
    void nobodySeesAJobBeforeItsTransactionCommits() {
        long node = rooms.node();

        transaction.executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("ada"), o -> o.queue(Rooms.QUEUE));
            assertThat(rooms.claim(node, 10)).isEmpty();
        });

        assertThat(rooms.claim(node, 10)).hasSize(1);
    }

    @Test
    void aDelayThatEndsBeforeItsTransactionCommitsIsAnnouncedAsOver() {
        transaction.executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("ada"), o -> o.delay(Duration.ofMillis(10)));
            rooms.execute("DO 'BEGIN PERFORM pg_sleep(0.02); END'");
        });

        assertThat(wakeups.heard()).containsExactly("waiting PT0S");
    }

    @Test
    void aSavepointThatRollsBackTakesItsJobsWithIt() {
        TransactionTemplate nested = new TransactionTemplate(transactions);
        nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);

        transaction.executeWithoutResult(outer -> {
            jobs.enqueue(new SendMail("outer"));
            nested.executeWithoutResult(inner -> {
                jobs.enqueue(new SendMail("inner"));
                inner.setRollbackOnly();
            });
        });

        assertThat(rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready")
                        .query(String.class)
                        .list())
                .containsExactly("outer");
    }

    @Test
    void aNewTransactionInsideAnotherStandsByItself() {
        TransactionTemplate own = new TransactionTemplate(transactions);
        own.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);

        transaction.executeWithoutResult(outer -> {
            jobs.enqueue(new SendMail("outer"));
            own.executeWithoutResult(inner -> jobs.enqueue(new SendMail("inner")));
            outer.setRollbackOnly();
        });

        assertThat(rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready")
                        .query(String.class)
                        .list())
                .containsExactly("inner");
        assertThat(wakeups.heard()).containsExactly("1 ready in default from rank 0");
    }

    @Test
    void workersAreWokenOnceAndOnlyAfterTheCommit() {
        transaction.executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("ada"));
            jobs.enqueue(new SendMail("bob"), o -> o.priority(4));
            assertThat(wakeups.heard()).isEmpty();
        });

        assertThat(wakeups.heard()).containsExactly("2 ready in default from rank -4");
    }

    @Test
    void aRollBackWakesNobody() {
        transaction.executeWithoutResult(status -> {
            jobs.enqueue(new SendMail("ada"));
            status.setRollbackOnly();
        });

        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void aReadOnlyTransactionIsRefused() {
        transaction.setReadOnly(true);

        assertThatThrownBy(() -> transaction.execute(status -> jobs.enqueue(new SendMail("ada"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("read-only");
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void aTransactionOfAnotherDataSourceIsRefused() {
        DataSource other = test.unpooled();
        TransactionTemplate elsewhere = new TransactionTemplate(new JdbcTransactionManager(other));

        assertThatThrownBy(() -> elsewhere.execute(status -> jobs.enqueue(new SendMail("ada"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("DataSource");
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void aPoolWhoseAutoCommitIsFalseKeepsThePromises() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(test.jdbcUrl());
        config.setUsername(test.username());
        config.setPassword(test.password());
        config.setMaximumPoolSize(2);
        config.setAutoCommit(false);
        try (HikariDataSource pool = new HikariDataSource(config)) {
            JobTemplate manual = template(new Database(pool, new Schema("rowlock")));
            TransactionTemplate inPool = new TransactionTemplate(new DataSourceTransactionManager(pool));

            manual.enqueue(new SendMail("alone"));
            manual.enqueueAll(List.of(new SendMail("two"), new SendMail("three")));
            inPool.executeWithoutResult(status -> manual.enqueue(new SendMail("joined")));
            inPool.executeWithoutResult(status -> {
                manual.enqueue(new SendMail("rolled back"));
                status.setRollbackOnly();
            });

            assertThat(rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready ORDER BY id")
                            .query(String.class)
                            .list())
                    .containsExactly("alone", "two", "three", "joined");
        }
    }

    private JobTemplate template(Database database) {
        return new JobTemplate(
                database, new JacksonPayloadCodec(JsonMapper.builder().build()), 1 << 20, type -> null, wakeups);
    }

    private long customers() {
        return rooms.number("SELECT count(*) FROM customer");
    }
}
