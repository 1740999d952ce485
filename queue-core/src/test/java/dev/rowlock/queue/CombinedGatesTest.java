package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.CombinedModel.Work;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
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
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Draws rules for a queue and jobs that complete, fail, wait, have keys of both kinds, belong to a batch or recur; over two nodes, none of the rules is ever
 * broken, and each job ends as a {@linkplain CombinedModel model} says. In half of the queues a policy chooses among the jobs, at random; where keys are in order, nobody asks it.
 */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class CombinedGatesTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration WORK = Duration.ofMillis(2);
    private static final int JOBS = 150;
    private static final int KEYS = 5;

    /** A policy decides all the time. */
    private static final PolicyTimes PATIENT = new PolicyTimes(
            Duration.ofSeconds(10), Duration.ofSeconds(55), Duration.ofSeconds(50), Duration.ofSeconds(20));

    /** Chooses some of the jobs that it is shown, in any order, and others with each answer. */
    private static final class Choosy implements AdmissionPolicy {

        private final Random random; // guarded by this, as are those below
        private final Map<Long, Integer> chosen = new HashMap<>();
        private boolean asked;

        Choosy(long seed) {
            this.random = new Random(seed);
        }

        @Override
        public String queue() {
            return "combined";
        }

        @Override
        public synchronized Admission admit(AdmissionRequest request) {
            asked = true;
            List<Long> some = new ArrayList<>(request.jobs().stream()
                    .map(WaitingJob::id)
                    .filter(id -> random.nextInt(3) > 0)
                    .toList());
            Collections.shuffle(some, random);
            List<Long> answer = some.subList(0, Math.min(some.size(), Math.max(0, request.room())));
            answer.forEach(id -> chosen.merge(id, 1, Integer::sum));
            return Admission.of(answer);
        }

        synchronized int chosen(long id) {
            return chosen.getOrDefault(id, 0);
        }

        synchronized boolean wasAsked() {
            return asked;
        }
    }

    private final Rowlocks rowlocks = new Rowlocks();
    private CombinedModel model = new CombinedModel(null);
    private final Set<Long> ids = ConcurrentHashMap.newKeySet();
    private final List<Long> batches = new ArrayList<>();
    private final List<Long> skipped = new ArrayList<>();
    private final TestDatabase database;

    CombinedGatesTest(TestDatabase database) {
        this.database = database;
    }

    static LongStream seeds() {
        return LongStream.concat(LongStream.rangeClosed(1, 8), LongStream.of(new Random().nextInt(1_000_000)));
    }

    private Rowlock node(@Nullable AdmissionPolicy policy) {
        RowlockBuilder builder = Rowlocks.quick(database.dataSource())
                .retry(RetryPolicy.fixed(Duration.ofMillis(10)).maxRetries(5))
                .policyTimes(PATIENT)
                .listener(Work.class, o -> o.queue("combined"), this::work);
        return rowlocks.built(policy == null ? builder : builder.policy(policy));
    }

    private void work(Work work, JobContext job) {
        String act = model.begins(job, work);
        LockSupport.parkNanos(WORK.toNanos()); // others begin meanwhile, if they may
        model.ends(job, act);
        switch (act) {
            case "throws" -> throw new IllegalStateException("not yet");
            case "snoozes" -> throw new SnoozeException(Duration.ofMillis(3));
            case "fails" -> throw new DoNotRetryException("never");
            default -> {}
        }
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void noRuleIsBrokenAndAllJobsEnd(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds begin alike
        QueueLimit rule = rule(random);
        Choosy policy = seed % 2 == 0 ? new Choosy(seed) : null;
        model = new CombinedModel(rule.inOrder());
        Rowlock first = node(policy);
        first.limits().set(rule);
        first.limits().weight("combined", "key-1", 1 + random.nextInt(4));
        enqueue(first, random, JOBS / 2);
        first.start();
        node(policy).start();
        enqueue(first, random, JOBS / 2);

        await("seed %d, %s%s".formatted(seed, rule, policy == null ? "" : " with a policy"))
                .atMost(LONG)
                .until(() -> {
                    release(first, random);
                    return ids.stream().noneMatch(id -> live(first, id));
                });

        assertEnds(first, rule);
        if (rule.maxRunning() != null) {
            assertThat(model.most()).as("%s", rule).isLessThanOrEqualTo(rule.maxRunning());
        }
        if (rule.maxRunningPerKey() != null) {
            int highest = rule.burstPerKey() != null ? rule.burstPerKey() : rule.maxRunningPerKey();
            assertThat(model.mostOfKeys().values()).as("%s", rule).allMatch(most -> most <= highest);
        }
        assertChosen(policy, rule);
        assertBatches();
        assertRate(rule.rate(), "true", rule);
        for (int key = 0; key < KEYS; key++) {
            assertRate(rule.ratePerKey(), "job_key = 'key-" + key + "'", rule);
        }
    }

    private static boolean live(Rowlock rowlock, long id) {
        return rowlock.search().find(id).filter(job -> job.state().live()).isPresent();
    }

    /** Somebody redrives, skips or discards what holds up its key, and redrives some that were skipped. */
    private void release(Rowlock rowlock, Random random) {
        if (!skipped.isEmpty() && random.nextInt(4) == 0) {
            long id = skipped.remove(0);
            model.redriven(id);
            rowlock.admin().redrive(id);
        }
        for (BlockedKey blocked : rowlock.limits().blockedKeys("combined", 100)) {
            if (blocked.state() == JobState.DEAD) {
                switch (random.nextInt(3)) {
                    case 0 -> {
                        model.redriven(blocked.jobId());
                        rowlock.admin().redrive(blocked.jobId());
                    }
                    case 1 -> {
                        model.released(blocked.jobId());
                        assertThat(rowlock.limits().skip("combined", blocked.key()))
                                .isEqualTo(1);
                        skipped.add(blocked.jobId());
                    }
                    default -> {
                        model.released(blocked.jobId());
                        rowlock.admin().discard(blocked.jobId());
                        ids.remove(blocked.jobId());
                    }
                }
            }
        }
    }

    /** Each has ended as it must, and those of a key began in turn. */
    private void assertEnds(Rowlock rowlock, QueueLimit rule) {
        Map<String, Map<Long, Long>> failed = new HashMap<>();
        JdbcClient.create(database.dataSource())
                .sql("SELECT job_key, id, last_job FROM rowlock.dead WHERE job_key IS NOT NULL")
                .query(row -> {
                    failed.computeIfAbsent(row.getString(1), key -> new HashMap<>())
                            .put(row.getLong(2), row.getLong(3));
                });
        for (long id : ids) {
            JobDetails job = rowlock.search().find(id).orElseThrow();
            Map<Long, Long> ofKey = new HashMap<>(failed.getOrDefault(job.key(), Map.of()));
            ofKey.remove(id);
            model.ended(id, job.state(), ofKey);
        }
        assertThat(model.broken()).as("%s", rule).isEmpty();
    }

    /** No job has begun more often than it was chosen. */
    private void assertChosen(@Nullable Choosy policy, QueueLimit rule) {
        if (policy == null) {
            return;
        }
        assertThat(policy.wasAsked()).as("%s", rule).isEqualTo(rule.inOrder() == null);
        if (rule.inOrder() == null) {
            assertThat(model.attempts())
                    .isNotEmpty()
                    .allSatisfy((id, times) ->
                            assertThat(times).as("job %d, %s", id, rule).isLessThanOrEqualTo(policy.chosen(id)));
        }
    }

    private static QueueLimit rule(Random random) {
        QueueLimit rule = QueueLimit.of("combined");
        boolean inOrder = random.nextInt(2) == 0;
        rule = random.nextInt(2) == 0 ? rule.maxRunning(2 + random.nextInt(4)) : rule;
        rule = random.nextInt(2) == 0 ? rule.maxRunningPerKey(inOrder ? 1 : 1 + random.nextInt(2)) : rule;
        rule = random.nextInt(2) == 0 ? rule.rate(Rate.perSecond(150).burst(1 + random.nextInt(10))) : rule;
        rule = random.nextInt(2) == 0 ? rule.ratePerKey(Rate.perSecond(60).burst(1 + random.nextInt(5))) : rule;
        rule = rule.maxRunningPerKey() != null && !inOrder && random.nextInt(2) == 0
                ? rule.burstPerKey(rule.maxRunningPerKey() + 1 + random.nextInt(2))
                : rule;
        AfterFailure[] ways = AfterFailure.values();
        return inOrder ? rule.inOrder(ways[random.nextInt(ways.length)]) : rule;
    }

    private void enqueue(Rowlock rowlock, Random random, int jobs) {
        List<String> acts = List.of("completes", "completes", "completes", "throws", "snoozes", "fails");
        List<JobRequest> requests = new ArrayList<>();
        for (int i = 0; i < jobs; i++) {
            JobOptions options = JobOptions.NONE;
            int key = random.nextInt(KEYS + 1);
            options = key < KEYS ? options.key("key-" + key) : options;
            boolean later = random.nextInt(5) == 0;
            int priority = random.nextInt(5) == 0 ? random.nextInt(3) : 0;
            String once = random.nextInt(5) == 0 ? "unique-" + random.nextInt(10) : "";
            options = later ? options.delay(Duration.ofMillis(random.nextInt(500))) : options;
            options = options.priority(priority);
            options = once.isEmpty() ? options : options.unique(UniqueKey.of(once));
            List<String> some = random.ints(random.nextInt(3), 0, acts.size())
                    .mapToObj(acts::get)
                    .toList();
            requests.add(new JobRequest(new Work(some, priority, once, later), options));
        }
        rowlock.jobs().enqueueEach(requests).forEach(result -> ids.add(result.id()));
        batch(rowlock, random, requests.size());
        recurring(rowlock, random);
    }

    /** A batch whose jobs have keys and priorities, with one more job behind it. */
    private void batch(Rowlock rowlock, Random random, int jobs) {
        List<Object> members = new ArrayList<>();
        for (int i = 0; i < jobs / 3; i++) {
            String key = "key-" + random.nextInt(KEYS);
            int priority = random.nextInt(2);
            List<String> acts = random.nextInt(3) == 0 ? List.of("throws") : List.of();
            members.add(JobRequest.of(
                    new Work(acts, priority, "", false), o -> o.key(key).priority(priority)));
        }
        long batch = rowlock.workflows()
                .start(Workflow.named("batch")
                        .each("members", members)
                        .step(
                                "behind",
                                new Work(List.of(), 0, "", true),
                                s -> s.afterEnd("members").job(o -> o.key("key-0"))));
        batches.add(batch);
        for (String step : List.of("members", "behind")) {
            rowlock.workflows().jobs(batch, step, Long.MIN_VALUE, 1_000).forEach(job -> ids.add(job.id()));
        }
    }

    private void recurring(Rowlock rowlock, Random random) {
        String key = "key-" + random.nextInt(KEYS);
        String name = "recurs-" + ids.size();
        boolean one = random.nextBoolean();
        rowlock.recurringJobs()
                .create(RecurringJob.of(
                                name,
                                Schedule.cron("0 0 0 1 1 *"),
                                new Work(List.of("throws"), 0, one ? name : "", false))
                        .options(o -> o.key(key))
                        .overlap(one ? Overlap.SKIP : Overlap.ALLOW));
        for (int i = 0; i < 3; i++) {
            rowlock.recurringJobs().runNow(name).ifPresent(ids::add);
        }
        rowlock.recurringJobs().delete(name);
    }

    private void assertBatches() {
        for (long batch : batches) {
            List<Boolean> inTurn = JdbcClient.create(database.dataSource())
                    .sql("""
                            WITH ended AS (
                                SELECT m.step_no, e.claimed_at, e.at
                                  FROM rowlock.workflow_job m
                                  JOIN (SELECT id, claimed_at, finished_at AS at FROM rowlock.done
                                        UNION ALL SELECT id, claimed_at, died_at FROM rowlock.dead) AS e ON e.id = m.job_id
                                 WHERE m.workflow_id = ?)
                            SELECT b.claimed_at IS NULL OR b.claimed_at >= (SELECT max(at) FROM ended WHERE step_no = 0)
                              FROM ended b WHERE b.step_no = 1
                            """)
                    .param(batch)
                    .query(Boolean.class)
                    .list();
            assertThat(inTurn).as("the job behind batch %d", batch).containsExactly(true);
        }
    }

    /** In no span of time do more begin than the burst and what the rate allows in it. Where one was tried again, its last attempt counts. */
    private void assertRate(Rate rate, String which, QueueLimit rule) {
        if (rate == null) {
            return;
        }
        List<Double> claimed = JdbcClient.create(database.dataSource())
                .sql("""
                        SELECT extract(epoch FROM claimed_at) FROM (
                            SELECT claimed_at, job_key FROM rowlock.done WHERE claimed_at IS NOT NULL
                            UNION ALL SELECT claimed_at, job_key FROM rowlock.dead) AS ended
                         WHERE %s ORDER BY 1
                        """.formatted(which))
                .query(Double.class)
                .list();
        double perSecond = rate.jobs() * 1_000.0 / rate.per().toMillis();
        Set<String> broken = new HashSet<>();
        for (int from = 0; from < claimed.size(); from++) {
            for (int to = from; to < claimed.size(); to++) {
                // The statement began a moment before it looked at the clock.
                double seconds = claimed.get(to) - claimed.get(from) + 0.02;
                if (to - from + 1 > rate.burst() + 1 + perSecond * seconds) {
                    broken.add("%d in %.3f s".formatted(to - from + 1, seconds));
                }
            }
        }
        assertThat(broken).as("%s of %s", which, rule).isEmpty();
    }
}
