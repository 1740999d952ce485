package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.stream.Stream;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A few jobs of each kind: tried again, delayed, with keys under a limit, unique, and of a workflow. */
final class AllKinds {

    record Mail(String text) {}

    private static final int OF_EACH = 5;

    private static final int KEYS = 2;

    private AllKinds() {}

    static RowlockBuilder handled(RowlockBuilder builder) {
        return builder.limit(QueueLimit.of("default").maxRunningPerKey(1)).listener(Mail.class, (mail, job) -> {
            if (mail.text().equals("tried again") && job.attempt() == 1) {
                throw new IllegalStateException("planted");
            }
        });
    }

    static void enqueue(Rowlock rowlock) {
        JobTemplate jobs = rowlock.jobs();
        for (int i = 0; i < OF_EACH; i++) {
            String key = "key " + i % KEYS;
            jobs.enqueue(new Mail("tried again"));
            jobs.enqueue(new Mail("delayed"), o -> o.delay(Duration.ofMillis(10)));
            jobs.enqueue(new Mail("with a key"), o -> o.key(key));
            jobs.enqueue(new Mail("unique"), o -> o.unique(key).priority(3));
        }
        rowlock.workflows()
                .start(Workflow.named("two").step("one", new Mail("first")).step("two", new Mail("second")));
    }

    /** Waits until all have ended well. */
    static void awaitEnd(JdbcClient sql) {
        await().atMost(Duration.ofMinutes(2))
                .untilAsserted(() -> assertThat(Stream.of("rowlock.job", "rowlock.workflow")
                                .flatMap(table -> sql
                                        .sql("SELECT state FROM %s WHERE state <> 'completed'".formatted(table))
                                        .query(String.class)
                                        .list()
                                        .stream()))
                        .isEmpty());
    }
}
