package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.spring.AnnotatedListeners;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.core.simple.JdbcClient;

/** The code of {@code docs/without-spring-boot.md}. The page shows the text between the marks letter by letter. */
@PostgresTest(freshPerTest = true)
class WithoutSpringBootTest {

    private static final Path PAGE = Path.of("..", "docs", "without-spring-boot.md");
    private static final Path HERE = Path.of("src/test/java/dev/rowlock/queue/WithoutSpringBootTest.java");

    private static final Queue<String> SENT = new ConcurrentLinkedQueue<>();

    // page: begin
    record SendMail(String to) {}

    record Book(int amount) {}

    static class Mailer {
        @JobListener(queue = "mail", timeout = "30s")
        void send(SendMail mail) {
            SENT.add(mail.to());
        }
    }

    static Rowlock build(DataSource pool, DataSource unpooled) {
        JdbcClient sql = JdbcClient.create(pool);
        return Rowlock.builder(pool)
                .unpooled(unpooled)
                .retry(RetryPolicy.exponential(Duration.ofSeconds(5), 2, Duration.ofHours(1)))
                .listeners(AnnotatedListeners.of(new Mailer()))
                .listener(
                        Book.class,
                        o -> o.concurrency(2).transactional(true),
                        (book, job) -> sql.sql("INSERT INTO ledger (job, amount) VALUES (?, ?)")
                                .params(job.id(), book.amount())
                                .update())
                .build();
    }

    static void run(DataSource pool, DataSource unpooled) {
        try (Rowlock rowlock = build(pool, unpooled)) {
            rowlock.start();
            rowlock.jobs().enqueue(new SendMail("ada@example.com"));
            long booking = rowlock.jobs().enqueue(new Book(7), o -> o.priority(5));
            waitForTheEnd(rowlock, booking);
        }
    }
    // page: end

    private static void waitForTheEnd(Rowlock rowlock, long id) {
        Awaitility.await().until(() -> rowlock.search().find(id).orElseThrow().state() == JobState.COMPLETED);
        Awaitility.await().until(() -> !SENT.isEmpty());
    }

    @Test
    void thePagesCodeRuns(TestDatabase database) {
        JdbcClient sql = JdbcClient.create(database.dataSource());
        sql.sql("CREATE TABLE ledger (job bigint, amount int)").update();

        run(database.dataSource(), database.unpooled());

        assertThat(SENT).containsExactly("ada@example.com");
        assertThat(sql.sql("SELECT amount FROM ledger").query(Integer.class).list())
                .containsExactly(7);
    }

    @Test
    void thePageShowsThisCode() throws IOException {
        String source = Files.readString(HERE);
        String shown = source.substring(
                source.indexOf("    // page: begin\n") + "    // page: begin\n".length(),
                source.indexOf("    // page: end\n"));

        assertThat(Files.readString(PAGE)).contains(shown.stripTrailing().stripIndent());
    }
}
