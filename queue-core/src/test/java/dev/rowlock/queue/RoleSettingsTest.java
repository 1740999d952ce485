package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Operators set limits and defaults for the role of an application: what Rowlock promises holds with those too. */
@PostgresTest(migrated = true, freshPerTest = true)
class RoleSettingsTest {

    private static final int JOBS = 20;

    private final TestDatabase database;
    private final JdbcClient sql;
    private final Rowlocks rowlocks = new Rowlocks();

    RoleSettingsTest(TestDatabase database) {
        this.database = database;
        this.sql = JdbcClient.create(database.unpooled());
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    /** The pool of the database is not open yet. */
    private void set(Map<String, String> settings) {
        settings.forEach((setting, value) -> sql.sql("ALTER ROLE CURRENT_USER IN DATABASE %s SET %s = '%s'"
                        .formatted(database.name(), setting, value))
                .update());
    }

    private RowlockBuilder node() {
        return AllKinds.handled(quick(database.dataSource()).schemaElsewhere());
    }

    @Test
    void jobsOfAllKindsEndWithLimitsAndIsolationThatAreUnusual() {
        set(Map.of(
                "statement_timeout", "5s",
                "lock_timeout", "500ms",
                "idle_in_transaction_session_timeout", "5s",
                "default_transaction_isolation", "serializable",
                "default_transaction_deferrable", "on",
                "standard_conforming_strings", "off",
                "quote_all_identifiers", "on"));
        Rowlock rowlock = rowlocks.built(node());
        AllKinds.enqueue(rowlock);

        rowlock.start();

        AllKinds.awaitEnd(sql);
    }

    @Test
    void jobsRunOnceATableThatWasLockedForLongerThanTheRoleMayWaitIsFree() throws Exception {
        set(Map.of("lock_timeout", "200ms"));
        Rowlock rowlock = rowlocks.built(node());
        for (int i = 0; i < JOBS; i++) {
            rowlock.jobs().enqueue(new AllKinds.Mail("a"));
        }
        try (Connection locking = database.superuser().getConnection();
                Statement statement = locking.createStatement()) {
            locking.setAutoCommit(false);
            statement.execute("LOCK TABLE rowlock.running, rowlock.done");
            rowlock.start();
            await().atMost(Duration.ofMinutes(1)).until(this::claimWaits);
            await().atMost(Duration.ofMinutes(1)).until(() -> !claimWaits());
        }

        await().atMost(Duration.ofMinutes(2)).until(() -> done() == JOBS);
    }

    private boolean claimWaits() {
        return sql.sql("SELECT count(*) > 0 FROM pg_locks WHERE relation = 'rowlock.running'::regclass AND NOT granted")
                .query(boolean.class)
                .single();
    }

    @Test
    void aDayThatTakesLongerToCountThanTheRoleMayIsDroppedAllTheSame() throws SQLException {
        LocalDate day = LocalDate.now(ZoneOffset.UTC).minusDays(20);
        String name = "rowlock.done_" + day.format(DateTimeFormatter.BASIC_ISO_DATE);
        for (String statement : new String[] {
            "CREATE TABLE %s PARTITION OF rowlock.done FOR VALUES FROM ('%s 00:00Z') TO ('%s 00:00Z')"
                    .formatted(name, day, day.plusDays(1)),
            """
            INSERT INTO rowlock.done (id, finished_at, enqueued_at, rank, attempt, crashes, state, queue, type)
            VALUES (nextval('rowlock.job_id'), '%s 12:00Z', now(), 0, 1, 0, 'completed', 'mail', 'send')
            """.formatted(day),
            // Whoever reads a row of it, the owner too, waits for longer than a statement may take.
            "CREATE POLICY slow ON %s USING (pg_sleep(1.5)::text = '')".formatted(name),
            "ALTER TABLE %s ENABLE ROW LEVEL SECURITY, FORCE ROW LEVEL SECURITY".formatted(name)
        }) {
            sql.sql(statement).update();
        }
        set(Map.of("statement_timeout", "1s"));

        Rowlock rowlock = rowlocks.started(node());

        await().atMost(Duration.ofMinutes(2))
                .until(() -> sql.sql("SELECT coalesce(sum(jobs), 0) FROM rowlock.dropped")
                                .query(long.class)
                                .single()
                        == 1);
        await().atMost(Duration.ofMinutes(1))
                .untilAsserted(() -> assertThat(rowlock.status().chores())
                        .filteredOn(chore -> chore.name().equals("retention"))
                        .singleElement()
                        .satisfies(chore -> assertThat(chore.sinceSuccess()).isNotNull())
                        .extracting(ChoreStatus::failing)
                        .isEqualTo(false));
    }

    private long done() {
        return sql.sql("SELECT count(*) FROM rowlock.done").query(long.class).single();
    }
}
