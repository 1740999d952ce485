package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.rowlock.queue.internal.store.Rooms;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.operate.AuditEntry;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.schema.SchemaScript;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.json.JsonMapper;

/** Jobs from psql, triggers and other languages. */
@PostgresTest(migrated = true)
class SqlFunctionsTest {

    record Invoice(long orderId) {}

    private final TestDatabase test;
    private final Rooms rooms;
    private final JdbcClient sql;
    private final TransactionTemplate transaction;

    SqlFunctionsTest(TestDatabase test) {
        this.test = test;
        rooms = Rooms.emptyIn(test);
        sql = JdbcClient.create(test.dataSource());
        transaction = new TransactionTemplate(new DataSourceTransactionManager(test.dataSource()));
    }

    @Test
    void aJobHasTheDefaultsOfJobTemplate() {
        long id = number("SELECT rowlock.enqueue('send-invoice', '{\"orderId\": 42}')");

        assertThat(rooms.look(id))
                .containsEntry("state", "ready")
                .containsEntry("queue", "default")
                .containsEntry("type", "send-invoice")
                .containsEntry("priority", 0)
                .containsEntry("attempt", 0);
        assertThat(text("SELECT rowlock.job_state(%d)", id)).isEqualTo("ready");
    }

    @Test
    void allOptionsTravel() {
        long id =
                number("SELECT rowlock.enqueue('send-invoice', '{}', queue => 'mail', priority => 5, delay => '10 min',"
                        + " max_retries => 3, timeout => '90 s', headers => '{\"tenant\": \"acme\"}')");

        assertThat(sql.sql(
                                "SELECT state, queue, priority, max_retries, timeout_millis, headers ->> 'tenant' AS tenant,"
                                        + " due_at - enqueued_at = interval '10 min' AS later, reason FROM rowlock.job_details WHERE id = ?")
                        .param(id)
                        .query()
                        .singleRow())
                .containsEntry("state", "waiting")
                .containsEntry("queue", "mail")
                .containsEntry("priority", 5)
                .containsEntry("max_retries", 3)
                .containsEntry("timeout_millis", 90_000L)
                .containsEntry("tenant", "acme")
                .containsEntry("later", true)
                .containsEntry("reason", "scheduled");
    }

    @Test
    void aJobIsDueAtTheInstantThatWasNamed() {
        long id = number("SELECT rowlock.enqueue('send-invoice', '{}', run_at => '2099-01-01 00:00Z')");

        assertThat(truth(
                        "SELECT due_at = '2099-01-01 00:00Z' AND since IS NULL FROM rowlock.waiting WHERE id = %d", id))
                .isTrue();
    }

    @Test
    void aLargePayloadLiesAside() {
        long id = number("SELECT rowlock.enqueue('send-invoice', json_build_object('text', repeat('x', 10000)))");

        assertThat(truth("SELECT payload IS NULL FROM rowlock.ready WHERE id = %d", id))
                .isTrue();
        assertThat(truth("SELECT bytes = octet_length(payload::text) FROM rowlock.payload WHERE job_id = %d", id))
                .isTrue();
    }

    @Test
    void aTriggersJobExistsIfTheTransactionCommits() {
        execute("CREATE TABLE IF NOT EXISTS orders (id bigint)");
        execute("""
                CREATE OR REPLACE FUNCTION invoice() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    PERFORM rowlock.enqueue('send-invoice', json_build_object('orderId', NEW.id), queue => 'mail');
                    RETURN NEW;
                END
                $$
                """);
        execute("CREATE OR REPLACE TRIGGER invoice AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION invoice()");

        transaction.executeWithoutResult(status -> {
            execute("INSERT INTO orders VALUES (41)");
            status.setRollbackOnly();
        });
        transaction.executeWithoutResult(status -> execute("INSERT INTO orders VALUES (42)"));

        assertThat(sql.sql("SELECT payload ->> 'orderId' FROM rowlock.ready")
                        .query(String.class)
                        .list())
                .containsExactly("42");
    }

    @Test
    @Representative
    void aNodeHearsOfTheJobAndRunsIt() throws InterruptedException {
        BlockingQueue<Invoice> invoices = new LinkedBlockingQueue<>();
        try (Rowlock rowlock = Rowlock.builder(test.dataSource())
                .listener("send-invoice", Invoice.class, (Invoice invoice, JobContext job) -> invoices.add(invoice))
                .unpooled(test.unpooled())
                .build()) {
            rowlock.start();
            number("SELECT rowlock.enqueue('send-invoice', '{\"orderId\": 1}')");
            assertThat(invoices.poll(20, TimeUnit.SECONDS)).isEqualTo(new Invoice(1));
        }
    }

    @Test
    void wakeUpsComeWithTheCommit() throws SQLException {
        try (Connection listening = test.unpooled().getConnection();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN rowlock_rowlock");
            transaction.executeWithoutResult(status -> {
                number("SELECT rowlock.enqueue('a', '{}', queue => 'mail', priority => 7)");
                number("SELECT rowlock.enqueue('a', '{}', delay => '1 s')");
            });
            try (Connection quiet = test.unpooled().getConnection();
                    Statement statement = quiet.createStatement()) {
                statement.execute("SET rowlock.notify = 'off'");
                statement.execute("SELECT rowlock.enqueue('a', '{}', queue => 'quiet')");
            }

            assertThat(heard(listening)).containsExactly("sql|r|-7|1|0|mail", "sql|w|1000");
        }
    }

    private static List<String> heard(Connection listening) throws SQLException {
        return Arrays.stream(listening.unwrap(PGConnection.class).getNotifications(10_000))
                .map(PGNotification::getParameter)
                .toList();
    }

    // Keys

    @Test
    void aJobMayHaveAKey() throws SQLException {
        try (Connection listening = test.unpooled().getConnection();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN rowlock_rowlock");
            long ready =
                    number("SELECT rowlock.enqueue_with_key('a', '{}', 'tenant-7', queue => 'mail', priority => 7)");
            long waiting = number("SELECT rowlock.enqueue_with_key('a', '{}', 'tenant-7', delay => '1 min')");

            assertThat(rooms.look(ready)).containsEntry("state", "ready").containsEntry("job_key", "tenant-7");
            assertThat(rooms.look(waiting)).containsEntry("state", "waiting").containsEntry("job_key", "tenant-7");
            assertThat(heard(listening)).contains("sql|k|1|mail");
        }
    }

    @Test
    void aKeyHasUpTo200Characters() {
        assertThatThrownBy(() -> number("SELECT rowlock.enqueue_with_key('a', '{}', '')"))
                .rootCause()
                .hasMessageContaining("a key of 0 characters is not allowed: it has 1 to 200");
        assertThatThrownBy(() -> number("SELECT rowlock.enqueue_with_key('a', '{}', repeat('k', 201))"))
                .rootCause()
                .hasMessageContaining("it has 1 to 200");
        assertThat(rooms.count("ready")).isZero();
    }

    // Unique

    @Test
    void aKeyIsSharedWithJobTemplate() {
        JobTemplate jobs =
                FrontDoors.jobs(rooms.database(), new JacksonPayloadCodec(JsonMapper.shared()), new RecordedWakeups());
        long first = jobs.enqueue(new Invoice(1), o -> o.unique("order-1"));

        Map<String, Object> second = unique("'Invoice', '{}', 'order-1'");
        Map<String, Object> other = unique("'Invoice', '{}', 'order-2'");

        assertThat(second).containsEntry("id", first).containsEntry("created", false);
        assertThat(other).containsEntry("created", true);
        assertThat(jobs.enqueue(new Invoice(2), o -> o.unique("order-2"))).isEqualTo(other.get("id"));
    }

    @Test
    void aKeyIsFreeOnceItsJobHasEndedUnlessItIsHeldForLonger() {
        unique("'a', '{}', 'short'");
        unique("'a', '{}', 'long', at_least => '1 hour'");
        rooms.execute("DELETE FROM rowlock.ready");

        assertThat(unique("'a', '{}', 'short'")).containsEntry("created", true);
        assertThat(unique("'a', '{}', 'long'")).containsEntry("created", false);
    }

    @Test
    void ofManyCallsAtOnceOneCreatesTheJob() {
        CompletableFuture<?>[] calls = IntStream.range(0, 8)
                .mapToObj(i -> CompletableFuture.runAsync(() -> unique("'a', '{}', 'order-1'")))
                .toArray(CompletableFuture<?>[]::new);
        CompletableFuture.allOf(calls).join();

        assertThat(rooms.count("ready")).isOne();
    }

    // Cancel

    @Test
    void aJobThatHasNotBegunIsCancelled() {
        long ready = number("SELECT rowlock.enqueue('a', '{}')");
        long waiting = number("SELECT rowlock.enqueue('a', '{}', delay => '1 h')");

        assertThat(text("SELECT rowlock.cancel(%d)", ready)).isEqualTo("cancelled");
        assertThat(text("SELECT rowlock.cancel(%d)", waiting)).isEqualTo("cancelled");
        assertThat(text("SELECT rowlock.cancel(%d)", ready)).isEqualTo("already_ended");
        assertThat(text("SELECT rowlock.job_state(%d)", ready)).isEqualTo("cancelled");
        assertThat(text("SELECT rowlock.cancel(-1)", 0)).isEqualTo("not_found");
        assertThat(text("SELECT rowlock.job_state(-1)", 0)).isNull();
    }

    @Test
    void aRunningJobIsAskedToStop() {
        rooms.ready(1);
        long id = rooms.claim(rooms.node(), 1).get(0).id();

        assertThat(text("SELECT rowlock.cancel(%d)", id)).isEqualTo("requested");
        assertThat(truth("SELECT cancel_requested FROM rowlock.running WHERE id = %d", id))
                .isTrue();
    }

    @Test
    void aCancelLeavesALineInTheAuditAsJobAdminDoes() {
        String session = text("SELECT session_user", 0);
        long idle = number("SELECT rowlock.enqueue('a', '{}')");
        rooms.ready(1);
        long running = rooms.claim(rooms.node(), 1).get(0).id();

        text("SELECT rowlock.cancel(%d)", idle);
        text("SELECT rowlock.cancel(%d)", running);
        text("SELECT rowlock.cancel(%d)", idle); // has ended
        text("SELECT rowlock.cancel(-1)", 0);

        assertThat(FrontDoors.admin(rooms.database(), new RecordedWakeups()).audit(null, 10))
                .extracting(
                        AuditEntry::who, AuditEntry::why, AuditEntry::action, AuditEntry::subject, AuditEntry::detail)
                .containsExactly(
                        tuple(session, null, "cancel", "job " + running, "asked to stop"),
                        tuple(session, null, "cancel", "job " + idle, null));
    }

    @Test
    void aCancelThatIsRolledBackLeavesNoLineInTheAudit() {
        long id = number("SELECT rowlock.enqueue('a', '{}')");

        transaction.executeWithoutResult(status -> {
            text("SELECT rowlock.cancel(%d)", id);
            status.setRollbackOnly();
        });

        assertThat(rooms.count("audit")).isZero();
    }

    // Rights

    @Test
    void aRoleThatMayCallTheFunctionsNeedsNoTable() throws SQLException {
        String role = "shop_" + test.name();
        execute("CREATE ROLE " + role);
        try {
            execute(SchemaScript.grantFunctionsSql("rowlock", role));
            try (Connection connection = test.unpooled().getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET ROLE " + role);
                statement.execute("SELECT rowlock.cancel(rowlock.enqueue('a', '{}'))"); // writes the audit as well
                statement.execute("SELECT * FROM rowlock.enqueue_unique('a', '{}', 'key')");
                statement.execute("SELECT rowlock.enqueue_with_key('a', '{}', 'tenant-7')");
                assertThatThrownBy(() -> statement.execute("SELECT * FROM rowlock.job_details"))
                        .hasMessageContaining("permission denied");
                assertThatThrownBy(() -> statement.execute("SELECT rowlock.send_wakeup('a|')"))
                        .hasMessageContaining("permission denied");
            }
        } finally {
            execute("DROP OWNED BY " + role);
            execute("DROP ROLE " + role);
        }
    }

    @Test
    void nobodyElseMayCallThem() throws SQLException {
        String role = "other_" + test.name();
        execute("CREATE ROLE " + role);
        execute("GRANT USAGE ON SCHEMA rowlock TO " + role);
        try (Connection connection = test.unpooled().getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("SET ROLE " + role);
            assertThatThrownBy(() -> statement.execute("SELECT rowlock.enqueue('a', '{}')"))
                    .hasMessageContaining("permission denied for function enqueue");
        } finally {
            execute("DROP OWNED BY " + role);
            execute("DROP ROLE " + role);
        }
    }

    // Bad input

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '@',
            value = {
                "'', '{}'; job type name '' is not valid",
                "'a b', '{}'; job type name 'a b' is not valid",
                "NULL, '{}'; job type name NULL is not valid",
                "'a', NULL; there is no payload",
                "'a', 'null'; there is no payload",
                "'a', '{'; invalid input syntax for type json",
                "'a', json_build_object('x', repeat('x', 1100000)); larger than the allowed 1048576",
                "'a', '{}', queue => 'a''b'; queue name 'a''b' is not valid",
                "'a', '{}', priority => 1001; priority 1001 must lie between -1000 and 1000",
                "'a', '{}', priority => NULL; priority",
                "'a', '{}', delay => '-1 s'; delay -00:00:01 is out of range",
                "'a', '{}', delay => '1 s', run_at => now(); give one of delay and run_at",
                "'a', '{}', run_at => '1969-01-01'; is out of range",
                "'a', '{}', max_retries => -1; max_retries -1 must lie between 0 and 10000",
                "'a', '{}', timeout => '0'; timeout 00:00:00 must lie between 1 ms and 365 days",
                "'a', '{}', headers => '[]'; headers are a array",
                "'a', '{}', headers => '{\"a\": 1}'; header 'a' is a number, and must be a string",
                "'a', '{}', headers => '{\"rowlock-retry\": \"x\"}'; Rowlock's own"
            })
    void whatIsNotAllowedIsRefusedWithWhatIs(String arguments, String message) {
        assertThatThrownBy(() -> number("SELECT rowlock.enqueue(" + arguments + ")"))
                .rootCause()
                .hasMessageContaining(message);
        assertThat(rooms.count("ready") + rooms.count("waiting") + rooms.count("payload"))
                .isZero();
    }

    @Test
    void aKeyThatIsNotAllowedIsRefused() {
        assertThatThrownBy(() -> unique("'a', '{}', ''")).rootCause().hasMessageContaining("it has 1 to 255");
        assertThatThrownBy(() -> unique("'a', '{}', 'k', at_least => '366 days'"))
                .rootCause()
                .hasMessageContaining("between 0 and 365 days");
        assertThat(rooms.count("unique_key")).isZero();
    }

    private Map<String, Object> unique(String arguments) {
        return sql.sql("SELECT * FROM rowlock.enqueue_unique(" + arguments + ")")
                .query()
                .singleRow();
    }

    private long number(String query) {
        return sql.sql(query).query(long.class).single();
    }

    private String text(String query, long id) {
        return sql.sql(query.formatted(id)).query(String.class).optional().orElse(null);
    }

    private boolean truth(String query, long id) {
        return sql.sql(query.formatted(id)).query(boolean.class).single();
    }

    private void execute(String statement) {
        rooms.execute(statement);
    }

    @Test
    void aJobShowsItsUniqueKeyBesideItsHeaders() {
        long ready = number(
                "SELECT id FROM rowlock.enqueue_unique('send-invoice', '{}', 'a \"b\"', headers => '{\"note\": \"x\"}')");
        long waiting = number("SELECT id FROM rowlock.enqueue_unique('send-invoice', '{}', 'c', delay => '1 h')");
        JobSearch search = new JobSearch(rooms.database());

        assertThat(search.find(ready).orElseThrow().uniqueKey()).isEqualTo("a \"b\"");
        assertThat(search.find(ready).orElseThrow().headers()).isEqualTo(Map.of("note", "x"));
        assertThat(search.find(waiting).orElseThrow().uniqueKey()).isEqualTo("c");
    }
}
