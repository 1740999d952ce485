package dev.rowlock.queue;

import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Two nodes with a policy for the default queue that notes what it is shown. */
@PostgresTest(migrated = true)
abstract class PolicyNodes {

    static final Duration LONG = Duration.ofSeconds(30);

    record Task(String name) {}

    record Elsewhere(String name) {}

    private final Rowlocks rowlocks = new Rowlocks();
    final List<String> ran = new CopyOnWriteArrayList<>();
    final Set<String> failing = ConcurrentHashMap.newKeySet();
    final Map<Long, WaitingJob> shown = new ConcurrentHashMap<>();
    final AtomicInteger asked = new AtomicInteger();
    final JdbcClient jdbc;
    final Rowlock first;
    final Rowlock second;
    volatile Predicate<WaitingJob> chooses = job -> false;

    PolicyNodes(TestDatabase database) {
        Rooms.emptyIn(database);
        jdbc = JdbcClient.create(database.dataSource());
        first = node(database);
        second = node(database);
    }

    private Rowlock node(TestDatabase database) {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .retry(RetryPolicy.fixed(Duration.ofMillis(300)).maxRetries(2))
                .policy(new AdmissionPolicy() {
                    @Override
                    public String queue() {
                        return "default";
                    }

                    @Override
                    public Admission admit(AdmissionRequest request) {
                        return choose(request);
                    }
                })
                .listener(Task.class, o -> o.id("tasks"), (task, job) -> run(task.name(), job))
                .listener(Elsewhere.class, o -> o.queue("elsewhere"), (task, job) -> run(task.name(), job)));
    }

    private Admission choose(AdmissionRequest request) {
        asked.incrementAndGet();
        request.jobs().forEach(job -> {
            shown.put(job.id(), job);
        });
        return Admission.of(request.jobs().stream()
                .filter(chooses)
                .limit(request.room())
                .map(WaitingJob::id)
                .toList());
    }

    private void run(String name, JobContext job) {
        if (failing.contains(name)) {
            throw new DoNotRetryException("fails until it is redriven");
        }
        if (name.startsWith("second time") && job.attempt() == 1) {
            throw new IllegalStateException("not yet");
        }
        ran.add(name);
    }

    @AfterEach
    void stop() throws Exception {
        rowlocks.close();
    }

    /** Both nodes ask the policy or know that it decides. */
    void start() {
        first.start();
        second.start();
        await().until(() -> jdbc.sql("SELECT count(*) FROM rowlock.node WHERE 'default' = ANY (queues)")
                        .query(Integer.class)
                        .single()
                == 2);
    }

    long held(Object payload) {
        long id = first.jobs().enqueue(payload);
        awaitHeld(id);
        return id;
    }

    void awaitHeld(long id) {
        await().atMost(LONG).until(() -> reasons(id).contains(Kind.POLICY) && shown.containsKey(id));
    }

    List<Kind> reasons(long id) {
        return first.search().explain(id).orElseThrow().reasons().stream()
                .map(Reason::kind)
                .toList();
    }

    JobState state(long id) {
        return first.search().find(id).orElseThrow().state();
    }
}
