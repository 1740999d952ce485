package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

/** Jobs that get a key, or a unique key, from SQL. */
class SqlKeysTest extends SqlCalls {

    SqlKeysTest(TestDatabase test) {
        super(test);
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
            assertThat(heard(listening)).contains("sql|k|1|mail|tenant-7");
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

    @Test
    void aKeyThatIsNotAllowedIsRefused() {
        assertThatThrownBy(() -> unique("'a', '{}', ''")).rootCause().hasMessageContaining("it has 1 to 255");
        assertThatThrownBy(() -> unique("'a', '{}', 'k', at_least => '366 days'"))
                .rootCause()
                .hasMessageContaining("between 0 and 365 days");
        assertThat(rooms.count("unique_key")).isZero();
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

    // Both

    @Test
    void aJobMayHaveAUniqueKeyAndAKey() throws SQLException {
        try (Connection listening = test.unpooled().getConnection();
                Statement listen = listening.createStatement()) {
            listen.execute("LISTEN rowlock_rowlock");
            Map<String, Object> ready = both("'a', '{}', unique_key => 'order-1', key => 'tenant-7', queue => 'mail'");
            Map<String, Object> waiting = both("'a', '{}', 'order-2', 'tenant-7', delay => '1 min', priority => 7");

            assertThat(ready).containsEntry("created", true);
            assertThat(rooms.look((Long) ready.get("id")))
                    .containsEntry("state", "ready")
                    .containsEntry("job_key", "tenant-7");
            assertThat(rooms.look((Long) waiting.get("id")))
                    .containsEntry("state", "waiting")
                    .containsEntry("job_key", "tenant-7");
            assertThat(new JobSearch(rooms.database())
                            .find((Long) waiting.get("id"))
                            .orElseThrow()
                            .uniqueKey())
                    .isEqualTo("order-2");
            assertThat(heard(listening)).contains("sql|k|1|mail|tenant-7");
        }
    }

    @Test
    void aJobThatHoldsTheUniqueKeyStaysAsItIs() {
        Map<String, Object> first = both("'a', '{}', 'order-1', 'tenant-7'");

        Map<String, Object> second = both("'a', '{}', 'order-1', 'tenant-8'");
        Map<String, Object> plain = unique("'a', '{}', 'order-1'");

        assertThat(second).containsEntry("id", first.get("id")).containsEntry("created", false);
        assertThat(plain).isEqualTo(second);
        assertThat(rooms.look((Long) first.get("id"))).containsEntry("job_key", "tenant-7");
        assertThat(rooms.count("ready")).isOne();
    }

    @Test
    void ofAUniqueKeyAndAKeyBothAreChecked() {
        assertThatThrownBy(() -> both("'a', '{}', 'order-1', ''"))
                .rootCause()
                .hasMessageContaining("a key of 0 characters is not allowed: it has 1 to 200");
        assertThatThrownBy(() -> both("'a', '{}', '', 'tenant-7'"))
                .rootCause()
                .hasMessageContaining("a unique key of 0 characters is not allowed: it has 1 to 255");
        assertThat(rooms.count("ready")).isZero();
        assertThat(rooms.count("unique_key")).isZero();
    }

    private Map<String, Object> unique(String arguments) {
        return row("enqueue_unique(" + arguments + ")");
    }

    private Map<String, Object> both(String arguments) {
        return row("enqueue_unique_with_key(" + arguments + ")");
    }

    private Map<String, Object> row(String call) {
        return sql.sql("SELECT * FROM rowlock." + call).query().singleRow();
    }
}
