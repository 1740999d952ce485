package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.settings.FetchSettings;
import dev.rowlock.queue.settings.LeaseSettings;
import dev.rowlock.queue.settings.WorkerSettings;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
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
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class RandomPoliciesTest {

    private static final String QUEUE = "moody";
    private static final Duration LONG = Duration.ofSeconds(90);
    private static final Duration ANSWER = Duration.ofMillis(200);
    private static final Duration WORK = Duration.ofMillis(3);
    private static final int STEPS = 160;

    /** The policy decides as long as the test wants, whatever its answers are. */
    private static final PolicyTimes PATIENT =
            new PolicyTimes(ANSWER, Duration.ofSeconds(50), Duration.ofSeconds(40), Duration.ofSeconds(30));

    /** Soon after its last good answer it does not. */
    private static final PolicyTimes QUICK =
            new PolicyTimes(ANSWER, Duration.ofSeconds(1), Duration.ofMillis(800), Duration.ofMillis(200));

    /** What becomes of the policy in the end. */
    private enum End {
        GOES_ON,
        FAILS,
        HAS_GONE
    }

    /** A node that may die. */
    private record Node(Rowlock rowlock, Cable cable) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final List<Node> nodes = new ArrayList<>(); // those that live
    private final List<Cable> cables = new ArrayList<>();
    private final TestDatabase database;
    private final PolicyModel model;
    private final Rowlock front;
    private final PolicyLoad load;

    RandomPoliciesTest(TestDatabase database) {
        this.database = database;
        this.model = new PolicyModel(database);
        this.front = rowlocks.built(Rowlocks.quick(database.dataSource()).enqueueOnly());
        this.load = new PolicyLoad(QUEUE, front, model);
    }

    static LongStream seeds() {
        return LongStream.concat(LongStream.rangeClosed(1, 6), LongStream.of(new Random().nextInt(1_000_000)));
    }

    @AfterEach
    void close() throws Exception {
        cables.forEach(Cable::mend); // a node stops sooner if it can say goodbye
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
        load.recurring();
        MoodyPolicy moody = new MoodyPolicy(QUEUE, model, ANSWER, random.nextLong());
        load.step(random, STEPS / 4);
        start(PATIENT, moody);
        start(PATIENT, moody);

        load.step(random, STEPS / 2);
        die(random);
        start(PATIENT, moody);
        load.step(random, STEPS / 4);
        front.recurringJobs().delete("recurs");
        load.resume();
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

    private void end(End end, MoodyPolicy moody, Random random) throws SQLException {
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
        // Until a good answer of it is written down, jobs wait for those that there were before.
        await().atMost(LONG).until(this::decidesForAMoment);
        last.isOver = true;
        if (end == End.HAS_GONE) {
            with.rowlock().stop();
            start(QUICK, null);
        }
        start(QUICK, end == End.HAS_GONE ? null : last);
    }

    private boolean decidesForAMoment() {
        return JdbcClient.create(database.dataSource())
                .sql(
                        "SELECT decides_until <= clock_timestamp() + ? * interval '1 ms' FROM rowlock.policy WHERE queue = ?")
                .params(QUICK.hold().toMillis(), QUEUE)
                .query(Boolean.class)
                .single();
    }

    /** Redrives what has failed: each job has only so many failures in it. */
    private List<String> notEnded() {
        front.admin().redrive(JobFilter.where().states(JobState.DEAD));
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
        cables.add(cable);
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
                .lease(new LeaseSettings("test", Duration.ofSeconds(2), Duration.ofMillis(200), 100))
                .retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxRetries(10))
                .worker(WorkerSettings.DEFAULT
                        .withConcurrency(4)
                        .withDrainTimeout(Duration.ofSeconds(1))
                        .withFetch(new FetchSettings(Duration.ofMillis(200), Duration.ofMillis(250), 100)))
                .policyTimes(times)
                .listener(
                        PolicyLoad.Work.class,
                        o -> o.queue(QUEUE).transactional(true),
                        (work, job) -> work(sql, work, job));
        if (policy != null) {
            builder.policy(policy);
        }
        Node node = new Node(rowlocks.started(builder), cable);
        nodes.add(node);
        return node;
    }

    private void work(JdbcClient sql, PolicyLoad.Work work, JobContext job) {
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

    /** Chooses nothing, and gives no good answer once it is over. */
    private static final class Last implements AdmissionPolicy {

        private volatile boolean isOver;

        @Override
        public String queue() {
            return QUEUE;
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            if (isOver) {
                throw new IllegalStateException("planted: never again");
            }
            return Admission.of(List.of());
        }
    }
}
