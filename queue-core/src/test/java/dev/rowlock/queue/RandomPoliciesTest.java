package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Draws jobs of every kind, what operators do to them, what policies answer, and which node dies when, over two nodes. While the policy decides, no job
 * runs that it has not chosen; and all jobs end, once each, when it goes on, fails for good, or has gone.
 */
@PostgresTest(freshPerTest = true)
class RandomPoliciesTest {

    private static final String QUEUE = "moody";
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Duration ANSWER = Duration.ofMillis(200);
    private static final Duration WORK = Duration.ofMillis(3);
    private static final int STEPS = 160;
    private static final int KEYS = 4;
    private static final int MOST_BAD = 4;

    /** The policy decides as long as the test wants, whatever its answers are. */
    private static final PolicyTimes PATIENT =
            new PolicyTimes(ANSWER, Duration.ofSeconds(50), Duration.ofSeconds(40), Duration.ofSeconds(30));

    /** Soon after its last good answer it does not. */
    private static final PolicyTimes QUICK =
            new PolicyTimes(ANSWER, Duration.ofSeconds(1), Duration.ofMillis(800), Duration.ofMillis(200));

    /** @param acts what its attempts do, one after the other; then it completes */
    record Work(int number, List<String> acts) {}

    /** What becomes of the policy in the end. */
    private enum End {
        GOES_ON,
        FAILS,
        HAS_GONE
    }

    /** A node that may die. */
    private record Node(Rowlock rowlock, Cable cable) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<Node> nodes = new ArrayList<>();
    private final List<Long> plain = new ArrayList<>();
    private final TestDatabase database;
    private final PolicyModel model;
    private final Rowlock front;
    private int numbers;
    private boolean typePaused;
    private boolean queuePaused;

    RandomPoliciesTest(TestDatabase database) {
        this.database = database;
        this.model = new PolicyModel(database);
        this.front = rowlocks.built(Rowlocks.quick(database.dataSource()).enqueueOnly());
    }

    static LongStream seeds() {
        return LongStream.concat(LongStream.rangeClosed(1, 6), LongStream.of(new Random().nextInt(1_000_000)));
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noJobRunsUnchosenAndAllEndWhateverBecomesOfThePolicyAndItsNodes(long seed) throws SQLException {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds begin alike
        End end = End.values()[(int) (seed % End.values().length)];
        QueueLimit rule = rule(random);
        model.watch();
        front.limits().set(rule);
        recurring();
        Moody moody = new Moody(random.nextLong());
        step(random, STEPS / 4);
        start(PATIENT, moody);
        start(PATIENT, moody);

        step(random, STEPS / 2);
        die(random);
        start(PATIENT, moody);
        step(random, STEPS / 4);
        front.recurringJobs().delete("recurs");
        resume();
        await("seed %d, %s".formatted(seed, rule)).atMost(LONG).until(moody::hasDoneAll);
        model.requireUnbroken();
        assertThat(model.begun()).as("all but what the policy never chooses").isNotEmpty();
        end(end, moody, random);

        await("seed %d, %s, policy %s".formatted(seed, rule, end))
                .atMost(LONG)
                .untilAsserted(() -> assertThat(notEnded()).isEmpty());
        model.assertAllEndedWell(rule);
    }

    private static QueueLimit rule(Random random) {
        QueueLimit rule = QueueLimit.of(QUEUE);
        rule = random.nextInt(3) > 0 ? rule.maxRunning(2 + random.nextInt(4)) : rule;
        return random.nextBoolean() ? rule.maxRunningPerKey(1 + random.nextInt(2)) : rule;
    }

    private void end(End end, Moody moody, Random random) throws SQLException {
        if (end == End.GOES_ON) {
            moody.chooseAll();
            return;
        }
        model.decidesNoMore();
        boolean allDie = random.nextBoolean();
        for (Node node : List.copyOf(nodes)) {
            if (allDie) {
                node.cable().cut();
            } else {
                node.rowlock().stop();
            }
        }
        nodes.clear();
        Last last = new Last();
        Node with = start(QUICK, last);
        await().atMost(LONG).until(() -> last.good);
        if (end == End.HAS_GONE) {
            with.rowlock().stop();
            start(QUICK, null);
        }
        start(QUICK, end == End.HAS_GONE ? null : last);
    }

    /** Redrives what has failed: each job has only so many failures in it. */
    private List<String> notEnded() {
        front.admin().redrive(JobFilter.where().states(JobState.FAILED));
        return JdbcClient.create(database.dataSource())
                .sql("""
                        SELECT concat_ws(' ', 'job', j.id, j.state, j.reason, j.headers, 'step', s.state, 'workflow', w.state)
                          FROM rowlock.job_details j
                          LEFT JOIN rowlock.workflow_job m ON m.job_id = j.id
                          LEFT JOIN rowlock.workflow_step s ON s.workflow_id = m.workflow_id AND s.step_no = m.step_no
                          LEFT JOIN rowlock.workflow w ON w.id = m.workflow_id
                         WHERE j.state NOT IN ('completed', 'cancelled') OR j.state = 'cancelled' AND j.headers ->> 'after' IS NOT NULL
                        """)
                .query(String.class)
                .list();
    }

    private void die(Random random) throws SQLException {
        Node node = nodes.remove(random.nextInt(nodes.size()));
        node.cable().cut();
    }

    private Node start(PolicyTimes times, AdmissionPolicy policy) {
        Cable cable = new Cable(database.unpooled());
        HikariConfig config = new HikariConfig();
        config.setDataSource(cable);
        config.setMaximumPoolSize(10);
        config.setMinimumIdle(0);
        config.setConnectionTimeout(1_000);
        config.setInitializationFailTimeout(-1);
        HikariDataSource pool = rowlocks.opened(new HikariDataSource(config));
        JdbcClient sql = JdbcClient.create(pool);
        RowlockBuilder builder = Rowlock.builder(pool)
                .keepAlive(false)
                .unpooled(cable)
                .lease(new LeaseSettings("test", Duration.ofSeconds(3), Duration.ofMillis(200), 100))
                .retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxRetries(10))
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(4)
                        .withDrainTimeout(Duration.ofSeconds(1))
                        .withFetch(new FetchSettings(Duration.ofMillis(200), Duration.ofMillis(250), 100)))
                .policyTimes(times)
                .listener(Work.class, o -> o.queue(QUEUE).transactional(true), (work, job) -> work(sql, work, job));
        if (policy != null) {
            builder.policy(policy);
        }
        Node node = new Node(rowlocks.started(builder), cable);
        nodes.add(node);
        return node;
    }

    private void work(JdbcClient sql, Work work, JobContext job) {
        int attempt = model.begins(job, work.number());
        sql.sql("INSERT INTO effect VALUES (?)").param(job.id()).update();
        LockSupport.parkNanos(WORK.toNanos()); // others begin meanwhile, if they may
        switch (attempt < work.acts().size() ? work.acts().get(attempt) : "completes") {
            case "throws" -> throw new IllegalStateException("not yet");
            case "snoozes" -> throw new SnoozeException(Duration.ofMillis(5));
            case "fails" -> throw new DoNotRetryException("until it is redriven");
            default -> {}
        }
    }

    // What producers and operators do

    private void step(Random random, int times) {
        for (int i = 0; i < times; i++) {
            int draw = random.nextInt(20);
            if (draw < 12) {
                enqueue(random);
            } else if (draw < 13) {
                workflow(random);
            } else if (draw < 14) {
                front.recurringJobs().runNow("recurs").ifPresent(model::asked);
            } else if (draw < 15) {
                front.admin().redrive(JobFilter.where().states(JobState.FAILED));
            } else if (draw < 16) {
                pause(random);
            } else if (!plain.isEmpty()) {
                change(plain.get(random.nextInt(plain.size())), random);
            }
        }
    }

    private void enqueue(Random random) {
        int key = random.nextInt(KEYS + 1);
        JobOptions options = JobOptions.NONE.queue(QUEUE).priority(random.nextInt(3));
        options = key < KEYS ? options.key("key-" + key) : options;
        if (random.nextInt(5) == 0) {
            int millis = random.nextInt(400);
            options = options.delay(Duration.ofMillis(millis)).header("delay", String.valueOf(millis));
        }
        if (random.nextInt(5) > 0) {
            long id = front.jobs().enqueue(work(random), options);
            plain.add(id);
            model.asked(id);
            return;
        }
        String name = "u" + random.nextInt(4);
        UniqueKey unique = UniqueKey.of(name);
        switch (random.nextInt(3)) {
            case 0 -> unique = UniqueKey.of("replaced-" + name).untilStarted().replacing();
            case 1 -> unique = UniqueKey.of("again-" + name).onceMore();
            // A job that has failed gives its key back, and may be redriven later.
            default -> {
                model.asked(front.jobs()
                        .enqueueUnique(new Work(numbers++, List.of("throws")), unique, options.header("unique", name))
                        .id());
                return;
            }
        }
        model.asked(front.jobs()
                .enqueueUnique(
                        work(random), unique, options.delay(Duration.ZERO).header("delay", "0"))
                .id());
    }

    private Work work(Random random) {
        List<String> acts = List.of("throws", "snoozes", "fails");
        return new Work(
                numbers++,
                random.ints(Math.max(0, random.nextInt(5) - 2), 0, acts.size())
                        .mapToObj(acts::get)
                        .toList());
    }

    private void workflow(Random random) {
        String name = "w" + numbers;
        List<Object> members = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            String key = "key-" + random.nextInt(KEYS);
            members.add(JobRequest.of(work(random), o -> o.queue(QUEUE).key(key).header("before", name)));
        }
        long workflow = front.workflows()
                .start(Workflow.named("random")
                        .each("members", members)
                        .step(
                                "behind",
                                work(random),
                                s -> s.after("members").job(o -> o.queue(QUEUE).header("after", name))));
        for (String step : List.of("members", "behind")) {
            front.workflows().jobs(workflow, step, Long.MIN_VALUE, 100).forEach(job -> model.asked(job.id()));
        }
    }

    private void recurring() {
        front.recurringJobs()
                .create(RecurringJob.of("recurs", Schedule.every(Duration.ofSeconds(1)), new Work(-1, List.of()))
                        .options(o -> o.queue(QUEUE).key("key-0"))
                        .overlap(Overlap.ALLOW));
    }

    private void change(long id, Random random) {
        switch (random.nextInt(6)) {
            case 0 -> {
                model.mayBeCancelled(id);
                front.admin().cancel(id);
            }
            case 1 -> front.admin().runNow(id);
            case 2 -> front.admin().changePriority(id, random.nextInt(5));
            case 3 -> front.admin().reschedule(id, Duration.ofMillis(500));
            default -> front.admin().redrive(id);
        }
    }

    private void pause(Random random) {
        if (queuePaused || typePaused) {
            resume();
        } else if (random.nextBoolean()) {
            queuePaused = front.admin().pause(QUEUE);
        } else {
            typePaused = front.admin().pauseType(JobTypes.typeOf(Work.class));
        }
    }

    private void resume() {
        front.admin().resume(QUEUE);
        front.admin().resumeType(JobTypes.typeOf(Work.class));
        queuePaused = false;
        typePaused = false;
    }

    /** Answers at random, well and badly. Some jobs it does not choose, except in bad answers. Asked by several nodes, if one of them does not know yet that it is dead. */
    private final class Moody implements AdmissionPolicy {

        private final Random random; // guarded by this, as are those below
        private int bad;
        private int good;
        private boolean choosesAll;

        Moody(long seed) {
            this.random = new Random(seed);
        }

        @Override
        public String queue() {
            return QUEUE;
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            if (isFirst()) {
                LockSupport.parkNanos(ANSWER.dividedBy(2).toNanos()); // nobody may be quicker than the first answer
            }
            int way = way(request);
            if (way < 0) {
                List<Long> answer = good(request);
                model.chosen(answer);
                return Admission.of(answer);
            }
            List<Long> shown = new ArrayList<>(request.jobs().stream()
                    .map(WaitingJob::id)
                    .sorted(Collections.reverseOrder())
                    .toList());
            switch (way) {
                case 0 -> throw new IllegalStateException("planted: no idea");
                case 1 -> LockSupport.parkNanos(ANSWER.multipliedBy(3).toNanos());
                case 2 -> shown.add(0, Long.MAX_VALUE);
                default -> shown.add(0, shown.get(0));
            }
            return Admission.of(shown.subList(0, Math.min(shown.size(), Math.max(2, request.room()))));
        }

        private synchronized boolean isFirst() {
            return bad + good == 0;
        }

        private synchronized int way(AdmissionRequest request) {
            if (!choosesAll && bad < MOST_BAD && request.jobs().size() > 1 && random.nextInt(4) == 0) {
                return bad++;
            }
            return -1;
        }

        private synchronized List<Long> good(AdmissionRequest request) {
            good++;
            List<Long> yes = new ArrayList<>(request.jobs().stream()
                    .map(WaitingJob::id)
                    .filter(id -> choosesAll || id % 7 != 0 && random.nextInt(3) > 0)
                    .toList());
            Collections.shuffle(yes, random);
            return yes.subList(0, Math.min(yes.size(), Math.max(0, request.room())));
        }

        synchronized boolean hasDoneAll() {
            return bad == MOST_BAD && good > 20;
        }

        synchronized void chooseAll() {
            choosesAll = true;
        }
    }

    /** Answers once, and then never again. */
    private static final class Last implements AdmissionPolicy {

        private volatile boolean good;

        @Override
        public String queue() {
            return QUEUE;
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            if (good) {
                throw new IllegalStateException("planted: never again");
            }
            good = true;
            return Admission.of(List.of());
        }
    }
}
