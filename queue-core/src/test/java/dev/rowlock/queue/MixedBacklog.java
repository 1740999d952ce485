package dev.rowlock.queue;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.spi.ListenerDefinition;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.awaitility.Awaitility;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Queues full of whatever holds up jobs, all at once: a giant key, small ones, jobs without keys, due, delayed, of paused types and of types that nobody knows, and a key that
 * can never run. It writes down what begins, so that a test can say how many jobs of a queue begin before one that must not wait for them.
 */
final class MixedBacklog implements AutoCloseable {

    static final int THREADS = 4;

    private static final Duration LONG = Duration.ofSeconds(100);

    /** What a job of the backlog is called, and those that must never begin. */
    private static final String BACKLOG = "backlog";

    private static final String NEVER = "never";
    private static final String STUCK = "stuck";

    @JobType("work")
    record Work(String name) {}

    @JobType("paused")
    record Paused(String name) {}

    /** Jobs until the test is over. */
    @JobType("endless")
    record Endless(String name) {}

    /**
     * How many jobs of each kind lie in a queue.
     *
     * @param giant of one key
     * @param keys how many small keys there are, with {@code each} jobs
     * @param plain without a key
     * @param due wait, and are due already, with keys and without
     * @param delayed wait for an hour
     * @param paused of a paused type, more urgent than all others: without keys, of a key, and the first of each tenth small key
     * @param unknown of a type that nobody knows
     */
    record Content(int giant, int keys, int each, int plain, int due, int delayed, int paused, int unknown) {

        int runnable() {
            return giant + keys * each + plain + due;
        }
    }

    /** A job that has begun. */
    private record Begun(String queue, String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<Begun> begun = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> sent = new ConcurrentHashMap<>(); // how many had begun in all queues by then
    private final CountDownLatch over = new CountDownLatch(1);
    private final TestDatabase database;
    private final JdbcClient sql;

    MixedBacklog(TestDatabase database) {
        this.database = database;
        sql = JdbcClient.create(database.dataSource());
    }

    /** A node that runs these queues, and has not started. */
    Rowlock node(Duration work, List<String> queues, UnaryOperator<RowlockBuilder> options) {
        RowlockBuilder builder = Rowlocks.quick(database.dataSource())
                .listener(Work.class, o -> o.queue(queues.get(0)).concurrency(THREADS), (job, context) -> {
                    begins(job.name(), context);
                    LockSupport.parkNanos(work.toNanos());
                })
                .listener(Endless.class, o -> o.queue(queues.get(0)).concurrency(THREADS), (job, context) -> {
                    begins(job.name(), context);
                    over.await();
                })
                .listener(
                        Paused.class,
                        o -> o.queue(queues.get(0)).concurrency(THREADS),
                        (job, context) -> begins(job.name(), context));
        for (String queue : queues) {
            builder = builder.listener(ListenerDefinition.of("only-" + queue, (context, payload) -> null)
                    .queue(queue)
                    .concurrency(THREADS));
        }
        Rowlock node = rowlocks.built(options.apply(builder));
        node.admin().pauseType("paused");
        return node;
    }

    private void begins(String name, JobContext job) {
        begun.add(new Begun(job.queue(), name));
    }

    /** Fills a queue. In SQL, as it would take long otherwise. */
    void fill(String queue, Content content) {
        String work = payload(BACKLOG);
        ready(queue, "work", "'giant'", 0, work, content.giant());
        ready(
                queue,
                "work",
                "'small-' || i % " + Math.max(1, content.keys()),
                0,
                work,
                content.keys() * content.each());
        ready(queue, "work", "NULL", 0, work, content.plain());
        String sometimesAKey = "CASE WHEN i % 2 = 0 THEN 'due-' || i % 50 END";
        waiting(queue, sometimesAKey, "0 s", work, content.due());
        waiting(queue, sometimesAKey, "1 h", payload(NEVER), content.delayed());
        ready(queue, "paused", "NULL", 5, payload(NEVER), content.paused());
        ready(queue, "paused", "'paused'", 5, payload(NEVER), content.paused());
        ready(
                queue,
                "paused",
                "'small-' || i * 10",
                5,
                payload(NEVER),
                Math.min(content.paused(), content.keys() / 10));
        ready(
                queue,
                "nobody-knows",
                "CASE WHEN i % 2 = 0 THEN 'unknown-' || i END",
                0,
                payload(NEVER),
                content.unknown());
    }

    /** A key of the queue has jobs, more urgent than all others, that its rule never lets run: none if the rule lets all run. */
    void holdUp(Rowlock node, QueueLimit rule) {
        String queue = rule.queue();
        if (rule.inOrder() == AfterFailure.HOLD) {
            failed(queue);
        } else if (rule.ratePerKey() != null) {
            node.limits().slowDown(queue, STUCK, Duration.ofHours(1));
        } else if (rule.maxRunningPerKey() != null) {
            int most = rule.burstPerKey() != null ? rule.burstPerKey() : rule.maxRunningPerKey();
            ready(queue, "endless", "'" + STUCK + "'", 10, payload("endless"), most);
        } else {
            return;
        }
        ready(queue, "work", "'" + STUCK + "'", 9, payload(NEVER), 300);
    }

    /** Jobs that do not end, without keys and with. */
    void endless(String queue, int jobs) {
        ready(queue, "endless", "CASE WHEN i % 2 = 0 THEN 'endless-' || i % 10 END", 9, payload("endless"), jobs);
    }

    private void failed(String queue) {
        sql.sql("""
                INSERT INTO rowlock.dead (id, died_at, enqueued_at, rank, attempt, crashes, state, queue, job_key, type, payload)
                VALUES (nextval('rowlock.job_id'), now(), now(), 0, 1, 0, 'dead', ?, ?, 'work', '{}')
                """).params(queue, STUCK).update();
    }

    private static String payload(String name) {
        return "{\"name\": \"%s\"}".formatted(name);
    }

    private void ready(String queue, String type, String key, int priority, String payload, int jobs) {
        sql.sql("""
                INSERT INTO rowlock.ready (id, ready_at, enqueued_at, rank, queue, job_key, type, payload)
                SELECT nextval('rowlock.job_id'), now(), now(), ?, ?, %s, ?, ?::json FROM generate_series(1, ?) AS i
                """.replace("%s", key))
                .params(-priority, queue, type, payload, jobs)
                .update();
    }

    private void waiting(String queue, String key, String due, String payload, int jobs) {
        sql.sql("""
                INSERT INTO rowlock.waiting (id, due_at, enqueued_at, rank, reason, queue, job_key, type, payload)
                SELECT nextval('rowlock.job_id'), now() + ?::interval, now(), 0, 'scheduled', ?, %s, 'work', ?::json
                  FROM generate_series(1, ?) AS i
                """.replace("%s", key)).params(due, queue, payload, jobs).update();
    }

    /** Enqueues a job that must not wait. */
    void send(Rowlock node, String name, JobOptions options) {
        sent.put(name, begun.size());
        node.jobs().enqueue(new Work(name), options);
    }

    /** From now on it counts how many begin before a job of this name, which comes by itself. */
    void sent(String name) {
        sent.put(name, begun.size());
    }

    void awaitBegun(String queue, int jobs) {
        Awaitility.await(queue).atMost(LONG).until(() -> begun(queue) >= jobs);
    }

    int begun(String queue) {
        return (int)
                snapshot().stream().filter(job -> job.queue().equals(queue)).count();
    }

    private List<Begun> snapshot() {
        synchronized (begun) {
            return List.copyOf(begun);
        }
    }

    /**
     * For each job that was sent, how many others of the queue began before it since then; as many as have begun so far where it has not. Waits until all have begun, or one
     * that has not is that late.
     */
    Map<String, Long> before(String queue, Map<String, Integer> atMost) {
        Awaitility.await(queue).atMost(LONG).until(() -> {
            Map<String, Long> late = beforeSoFar(queue, atMost.keySet());
            List<String> names = snapshot().stream().map(Begun::name).toList();
            return atMost.entrySet().stream().allMatch(sent -> names.contains(sent.getKey()))
                    || atMost.entrySet().stream().anyMatch(sent -> late.get(sent.getKey()) > sent.getValue());
        });
        return beforeSoFar(queue, atMost.keySet());
    }

    private Map<String, Long> beforeSoFar(String queue, Iterable<String> names) {
        List<Begun> all = snapshot();
        Map<String, Long> before = new LinkedHashMap<>();
        names.forEach(name -> before.put(
                name,
                all.stream()
                        .skip(sent.get(name))
                        .takeWhile(job -> !job.name().equals(name))
                        .filter(job -> job.queue().equals(queue) && job.name().equals(BACKLOG))
                        .count()));
        return before;
    }

    /** Whether a job has begun that cannot: of a paused type, delayed, or of a key that is held up. */
    boolean neverBroken() {
        return snapshot().stream().noneMatch(job -> job.name().equals(NEVER));
    }

    @Override
    public void close() throws Exception {
        over.countDown();
        rowlocks.close();
    }
}
