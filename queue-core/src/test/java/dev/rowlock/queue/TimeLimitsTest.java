package dev.rowlock.queue;

import static dev.rowlock.queue.Rowlocks.quick;
import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.db.Proxies;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** How long the server lets statements run: the tables note it of each that writes to them. */
@PostgresTest(migrated = true, freshPerTest = true)
class TimeLimitsTest {

    private static final List<String> ROOMS = List.of("waiting", "ready", "running", "dead", "node", "chore");

    private final TestDatabase database;
    private final JdbcClient sql;
    private final Rowlocks rowlocks = new Rowlocks();

    TimeLimitsTest(TestDatabase database) {
        this.database = database;
        this.sql = JdbcClient.create(database.unpooled());
    }

    record Mail(String text) {}

    @BeforeEach
    void note() {
        sql.sql("CREATE TABLE noted (room text, time_limit text)").update();
        sql.sql("""
                CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    INSERT INTO noted VALUES (TG_TABLE_NAME, current_setting('statement_timeout'));
                    RETURN NULL;
                END $$
                """).update();
        ROOMS.forEach(room -> sql.sql(
                        "CREATE TRIGGER note AFTER INSERT OR UPDATE OR DELETE ON rowlock.%s EXECUTE FUNCTION note()"
                                .formatted(room))
                .update());
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    private List<String> noted() {
        return sql.sql("SELECT DISTINCT time_limit FROM noted ORDER BY 1")
                .query(String.class)
                .list();
    }

    @Test
    void theServerEndsEachStatementOfOursAfterHalfAMinuteOrSooner() throws Exception {
        Rowlock rowlock = rowlocks.started(quick(database.dataSource()).listener(Mail.class, (mail, job) -> {
            if (mail.text().equals("bad")) {
                throw new IllegalArgumentException("bad");
            }
        }));

        enqueueAllKinds(rowlock);

        assertThat(sql.sql("SELECT DISTINCT room FROM noted")
                        .query(String.class)
                        .list())
                .containsExactlyInAnyOrderElementsOf(ROOMS);
        assertThat(noted()).allMatch(limit -> limit.matches("30s|[1-9]\\d{0,3}ms|[1-9]s|[12]\\ds"));
    }

    @Test
    void aStatementThatRunsByItselfBringsItsLimitAlong() throws Exception {
        Set<String> unlimited = ConcurrentHashMap.newKeySet();
        DataSource watched = Proxies.of(DataSource.class, (self, method, arguments) -> {
            Object result = Proxies.call(database.dataSource(), method, arguments);
            return result instanceof Connection connection ? watched(connection, unlimited) : result;
        });
        Rowlock rowlock = rowlocks.started(quick(watched)
                .schemaElsewhere()
                .limit(QueueLimit.of("limited").maxRunningPerKey(1))
                .recurring(RecurringJob.of("each-second", Schedule.every(Duration.ofSeconds(1)), new Mail("again")))
                .listener(Mail.class, (mail, job) -> {
                    if (mail.text().equals("bad")) {
                        throw new IllegalArgumentException("bad");
                    }
                }));

        enqueueAllKinds(rowlock);

        assertThat(unlimited).isEmpty();
    }

    /** Of statements that are sent outside a transaction, those without a limit. */
    private static Connection watched(Connection connection, Set<String> unlimited) {
        return Proxies.of(Connection.class, (self, method, arguments) -> {
            Object result = Proxies.call(connection, method, arguments);
            if (result instanceof PreparedStatement && connection.getAutoCommit()) {
                String text = (String) arguments[0];
                // This one asks what a new connection does, and no table.
                if (!text.contains("set_config('statement_timeout'") && !text.contains("rowlock.sent_before")) {
                    unlimited.add(text);
                }
            }
            return result;
        });
    }

    @Test
    void aCallersTransactionKeepsItsOwnLimit() {
        Rowlock rowlock = rowlocks.built(quick(database.dataSource()));
        JdbcClient joined = JdbcClient.create(database.dataSource());

        String after = new TransactionTemplate(new DataSourceTransactionManager(database.dataSource()))
                .execute(status -> {
                    joined.sql("SET LOCAL statement_timeout = '123s'").update();
                    rowlock.jobs().enqueue(new Mail("a"));
                    rowlock.jobs().enqueue(new Mail("a"), o -> o.unique("a").delay(Duration.ofHours(1)));
                    rowlock.jobs().enqueue(new Mail("x".repeat(10_000)));
                    return joined.sql("SHOW statement_timeout")
                            .query(String.class)
                            .single();
                });

        assertThat(after).isEqualTo("123s");
        assertThat(noted()).containsExactly("123s");
    }

    @Test
    void aShorterLimitOfTheRolesOwnHolds() {
        sql.sql("ALTER ROLE CURRENT_USER IN DATABASE %s SET statement_timeout = '7s'".formatted(database.name()))
                .update();
        Rowlock rowlock = rowlocks.built(quick(database.dataSource()));

        rowlock.jobs().enqueue(new Mail("a"));
        rowlock.jobs().enqueue(new Mail("a"), o -> o.unique("a").delay(Duration.ofHours(1)));

        assertThat(noted()).containsExactly("7s");
    }

    @Test
    void aConnectionGoesBackToThePoolWithTheLimitThatItHad() {
        Rowlock rowlock = rowlocks.built(quick(database.dataSource()));
        String before = limitOf(database.unpooled());

        rowlock.jobs().enqueue(new Mail("a"));
        rowlock.jobs().enqueue(new Mail("a"), o -> o.unique("a").delay(Duration.ofHours(1)));
        rowlock.admin().cancel(1);

        assertThat(limitOf(database.dataSource())).isEqualTo(before).isNotEqualTo("30s");
    }

    private static String limitOf(DataSource connections) {
        return JdbcClient.create(connections)
                .sql("SHOW statement_timeout")
                .query(String.class)
                .single();
    }

    private static void enqueueAllKinds(Rowlock rowlock) throws Exception {
        JobTemplate jobs = rowlock.jobs();
        jobs.enqueue(new Mail("bad"));
        jobs.enqueue(new Mail("a"), o -> o.delay(Duration.ofMillis(10)));
        jobs.enqueue(new Mail("a"), o -> o.queue("limited").key("a"));
        jobs.enqueue(new Mail("a"), o -> o.queue("limited").key("b"));
        jobs.enqueueUnique(new Mail("a"), UniqueKey.of("a"));
        jobs.enqueueAll(List.of(new Mail("a"), new Mail("b")));
        long waited = jobs.enqueue(new Mail("x".repeat(200_000)));
        rowlock.results().await(waited, Duration.ofMinutes(1));
        rowlock.workflows()
                .await(
                        rowlock.workflows()
                                .start(Workflow.named("two")
                                        .step("one", new Mail("a"))
                                        .step("two", new Mail("b"))),
                        Duration.ofMinutes(1));
        rowlock.admin().cancel(jobs.enqueue(new Mail("a"), o -> o.delay(Duration.ofHours(1))));
    }
}
