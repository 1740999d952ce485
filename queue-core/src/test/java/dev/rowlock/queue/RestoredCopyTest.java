package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The statements of docs/database.md that keep a restored copy from running jobs. */
@PostgresTest(freshPerTest = true)
class RestoredCopyTest {

    private static final Pattern SQL = Pattern.compile("```sql\n(.*?)```", Pattern.DOTALL);

    private final DataSource dataSource;
    private final JdbcClient jdbc;

    RestoredCopyTest(TestDatabase database) {
        dataSource = database.dataSource();
        jdbc = JdbcClient.create(dataSource);
    }

    @Test
    void aCopyThatIsPausedBeforeItsFirstNodeRunsNothingUntilItIsLetGo() throws IOException {
        AtomicInteger ran = new AtomicInteger();
        try (Rowlock rowlock = Rowlock.builder(dataSource)
                .lease(new LeaseSettings("copy", Duration.ofSeconds(1), Duration.ofMillis(50), 3))
                .listener(ListenerDefinition.of("send", (context, payload) -> ran.incrementAndGet()))
                .build()) {
            jdbc.sql("SELECT rowlock.enqueue('send', '{}'::json)")
                    .query(Long.class)
                    .single();
            jdbc.sql(statement("INSERT INTO rowlock.pause")).update();
            jdbc.sql(statement("INSERT INTO rowlock.pause")).update(); // it may be run again

            rowlock.start();
            awaitBeats();

            assertThat(ran).hasValue(0);
            assertThat(jdbc.sql("SELECT count(*) FROM rowlock.ready")
                            .query(Long.class)
                            .single())
                    .isEqualTo(1);

            jdbc.sql(statement("DELETE FROM rowlock.pause")).update();

            await().untilAsserted(() -> assertThat(ran).hasValue(1));
        }
    }

    /** A node that was not paused would have run the job long before. */
    private void awaitBeats() {
        await().until(() -> jdbc.sql(
                        "SELECT EXISTS (SELECT FROM rowlock.node WHERE heartbeat_at > started_at + interval '2 s')")
                .query(Boolean.class)
                .single());
    }

    private static String statement(String beginning) throws IOException {
        return SQL.matcher(Files.readString(Path.of("../docs/database.md")))
                .results()
                .map(match -> match.group(1))
                .filter(sql -> sql.startsWith(beginning))
                .findFirst()
                .orElseThrow()
                .replace(";", "");
    }
}
