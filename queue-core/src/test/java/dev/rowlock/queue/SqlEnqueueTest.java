package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.Representative;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs from psql, triggers and other languages. */
class SqlEnqueueTest extends SqlCalls {

    SqlEnqueueTest(TestDatabase test) {
        super(test);
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

        assertThat(truth("SELECT due_at = '2099-01-01 00:00Z' FROM rowlock.waiting WHERE id = %d", id))
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
                "'a', (repeat('[', 501) || repeat(']', 501))::json; nested more than 500 levels deep",
                "'a', (repeat('{\"a[\": [', 251) || repeat(']}', 251))::json; nested more than 500 levels deep",
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

    /** Brackets within strings, and beside each other, are no levels. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            quoteCharacter = '@',
            value = {
                "(repeat('[', 500) || repeat(']', 500))::json",
                "json_build_object('x', repeat('[{', 1000))",
                "json_build_object(repeat('[\"', 1000), repeat('\\[\"', 1000) || '\\')",
                "(SELECT json_agg(json_build_object('x', '[]'::json, 'y', 'a[')) FROM generate_series(1, 1000))"
            })
    void aPayloadMayBeNestedAsDeepAsItCanBeRead(String payload) {
        number("SELECT rowlock.enqueue('a', " + payload + ")");

        assertThat(rooms.count("ready")).isOne();
    }
}
