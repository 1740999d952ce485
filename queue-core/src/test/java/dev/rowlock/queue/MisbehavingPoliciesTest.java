package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.internal.policy.PolicyTimes;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.Explanation.Reason;
import dev.rowlock.queue.test.postgres.LongRunning;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * Policies that answer at random, well and badly, over two nodes: no job is lost, none runs twice, no limit of the queue is exceeded, and of a bad
 * answer nothing counts.
 */
@LongRunning
@PostgresTest(freshPerTest = true, migrated = true)
class MisbehavingPoliciesTest {

    private static final Duration LONG = Duration.ofSeconds(60);
    private static final Duration PATIENCE = Duration.ofSeconds(50);
    private static final Duration WORK = Duration.ofMillis(2);
    private static final Duration ANSWER = Duration.ofMillis(100);
    private static final int JOBS = 120;
    private static final int KEYS = 4;

    record Work(int number, boolean failsFirst) {}

    /** Ways to answer badly. Each of them also chooses all that it is shown. */
    private enum Bad {
        TOO_MANY,
        NOT_SHOWN,
        LATER_OR_ENDED,
        TWICE,
        NULL,
        NULL_AS_ID,
        THROWS,
        THROWS_AN_ERROR,
        SLOW,
        SLOW_THOUGH_INTERRUPTED
    }

    /** What handlers saw. One lock for all: what is counted must be what runs at that moment. */
    private static final class Seen {

        private final Map<Long, String> running = new HashMap<>();
        private final Map<Long, Integer> completed = new HashMap<>();
        private final Set<Long> begun = new HashSet<>();
        private final List<String> broken = new ArrayList<>();
        private int most;
        private int mostOfKey;

        synchronized boolean begins(JobContext job) {
            String key = job.key().orElse("");
            if (running.put(job.id(), key) != null) {
                broken.add("job %d ran twice at once".formatted(job.id()));
            }
            most = Math.max(most, running.size());
            if (!key.isEmpty()) {
                mostOfKey = Math.max(mostOfKey, Collections.frequency(running.values(), key));
            }
            return begun.add(job.id());
        }

        synchronized void ends(JobContext job, boolean completes) {
            running.remove(job.id());
            if (completes) {
                completed.merge(job.id(), 1, Integer::sum);
            }
        }

        synchronized boolean haveCompleted(Set<Long> ids) {
            return completed.keySet().containsAll(ids);
        }

        synchronized Set<Long> begun() {
            return Set.copyOf(begun);
        }
    }

    private final Rowlocks rowlocks = new Rowlocks();
    private final Seen seen = new Seen();
    private final JdbcClient jdbc;
    private final TestDatabase database;
    private volatile long tomorrow; // a job that no policy is shown yet

    MisbehavingPoliciesTest(TestDatabase database) {
        this.database = database;
        this.jdbc = JdbcClient.create(database.dataSource());
    }

    static LongStream seeds() {
        return LongStream.concat(LongStream.rangeClosed(1, 3), LongStream.of(new Random().nextInt(1_000_000)));
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    /** Sometimes the policy decides, sometimes the queue goes on without it, and nodes take it over from each other. */
    @ParameterizedTest
    @MethodSource("seeds")
    void whateverPoliciesAnswerNoJobIsLostOrRunsTwiceAndLimitsHold(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L); // neighbouring seeds begin alike
        QueueLimit rule = rule(random);
        PolicyTimes quick = new PolicyTimes(ANSWER, Duration.ofSeconds(1), Duration.ofMillis(800), ANSWER.dividedBy(2));
        Rowlock first = node(quick, new Moody(random.nextLong(), Set.of()));
        Rowlock second = node(quick, new Moody(random.nextLong(), Set.of()));
        first.limits().set(rule);
        tomorrow =
                first.jobs().enqueue(new Work(-1, false), o -> o.queue("moody").delay(Duration.ofDays(1)));
        Set<Long> ids = enqueue(first, random, JOBS / 2);
        first.start();
        second.start();
        ids.addAll(enqueue(second, random, JOBS / 2));

        await("seed %d, %s".formatted(seed, rule)).atMost(LONG).until(() -> seen.haveCompleted(ids));

        assertLaws(first, ids, rule);
    }

    /** The policy answers well often enough to decide all the time. What it refuses then waits, although each bad answer chooses it. */
    @ParameterizedTest
    @MethodSource("seeds")
    void aJobThatNoGoodAnswerChoosesWaits(long seed) {
        Random random = new Random(seed * 0x9E3779B97F4A7C15L);
        QueueLimit rule = rule(random);
        PolicyTimes patient = new PolicyTimes(ANSWER, PATIENCE, PATIENCE, PATIENCE.dividedBy(2));
        Set<Long> refused = Collections.synchronizedSet(new HashSet<>());
        Moody moody = new Moody(random.nextLong(), refused);
        Rowlock first = node(patient, moody);
        Rowlock second = node(patient, moody);
        first.limits().set(rule);
        tomorrow =
                first.jobs().enqueue(new Work(-1, false), o -> o.queue("moody").delay(Duration.ofDays(1)));
        Set<Long> ids = enqueue(first, random, JOBS / 2);
        ids.stream().filter(id -> id % 5 == 0).forEach(refused::add);
        first.start();
        second.start();
        // Before the first answer nobody has refused anything.
        Set<Long> late = enqueue(second, random, JOBS / 2);
        ids.addAll(late);
        Set<Long> chosen = new HashSet<>(ids);
        chosen.removeAll(refused);

        await("seed %d, %s".formatted(seed, rule))
                .atMost(LONG)
                .until(() -> seen.haveCompleted(chosen) && moody.hasDoneAll());

        assertThat(seen.begun()).as("seed %d", seed).doesNotContainAnyElementsOf(refused);
        assertThat(refused)
                .isNotEmpty()
                .allSatisfy(id -> assertThat(
                                first.search().explain(id).orElseThrow().reasons())
                        .extracting(Reason::kind)
                        .contains(Kind.POLICY));
        refused.clear();
        moody.behaves();
        await("seed %d".formatted(seed)).atMost(LONG).until(() -> seen.haveCompleted(ids));
        assertLaws(first, ids, rule);
    }

    private void assertLaws(Rowlock rowlock, Set<Long> ids, QueueLimit rule) {
        await().atMost(LONG)
                .until(() -> ids.stream()
                        .allMatch(id -> rowlock.search().find(id).orElseThrow().state() == JobState.COMPLETED));
        synchronized (seen) {
            assertThat(seen.broken).isEmpty();
            assertThat(seen.completed.keySet()).isEqualTo(ids);
            assertThat(seen.completed.values()).as("completions of each job").containsOnly(1);
            if (rule.maxRunning() != null) {
                assertThat(seen.most).as("%s", rule).isLessThanOrEqualTo(rule.maxRunning());
            }
            if (rule.maxRunningPerKey() != null) {
                assertThat(seen.mostOfKey).as("%s", rule).isLessThanOrEqualTo(rule.maxRunningPerKey());
            }
        }
        for (String room : List.of("ready", "running", "held_job", "admitted_job")) {
            await(room).atMost(LONG).until(() -> rows(room) == 0);
        }
        assertThat(rows("waiting")).as("only the job of tomorrow").isEqualTo(1);
    }

    private long rows(String table) {
        return jdbc.sql("SELECT count(*) FROM rowlock." + table)
                .query(Long.class)
                .single();
    }

    private static QueueLimit rule(Random random) {
        QueueLimit rule = QueueLimit.of("moody").maxRunning(2 + random.nextInt(4));
        return random.nextBoolean() ? rule.maxRunningPerKey(1 + random.nextInt(2)) : rule;
    }

    private Rowlock node(PolicyTimes times, AdmissionPolicy policy) {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .policy(policy)
                .policyTimes(times)
                .listener(Work.class, o -> o.queue("moody"), (work, job) -> {
                    boolean firstTime = seen.begins(job);
                    LockSupport.parkNanos(WORK.toNanos()); // others begin meanwhile, if they may
                    seen.ends(job, !(work.failsFirst() && firstTime));
                    if (work.failsFirst() && firstTime) {
                        throw new IllegalStateException("not yet");
                    }
                }));
    }

    private Set<Long> enqueue(Rowlock rowlock, Random random, int jobs) {
        Set<Long> ids = new HashSet<>();
        for (int i = 0; i < jobs; i++) {
            int key = random.nextInt(KEYS + 1);
            JobOptions options = JobOptions.NONE.queue("moody").priority(random.nextInt(3));
            options = key < KEYS ? options.key("key-" + key) : options;
            options = random.nextInt(6) == 0 ? options.delay(Duration.ofMillis(random.nextInt(200))) : options;
            ids.add(rowlock.jobs()
                    .enqueueEach(List.of(new JobRequest(new Work(i, random.nextInt(8) == 0), options)))
                    .get(0)
                    .id());
        }
        return ids;
    }

    /** Answers at random. Asked on one thread for each node. */
    private final class Moody implements AdmissionPolicy {

        private final Random random; // guarded by this, as are those below
        private final Set<Long> refused;
        private final List<Bad> toDo = new ArrayList<>(Arrays.asList(Bad.values()));
        private final Set<Bad> done = EnumSet.noneOf(Bad.class);
        private boolean wasBad;
        private boolean behaves;

        /** @param refused what no good answer chooses; not copied */
        Moody(long seed, Set<Long> refused) {
            this.random = new Random(seed);
            this.refused = refused;
            Collections.shuffle(toDo, random);
        }

        @Override
        public String queue() {
            return "moody";
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            Bad bad = next(request);
            return bad == null ? good(request) : bad(bad, request);
        }

        /** Each bad answer once, each second time where jobs are shown; and in between, good ones. */
        private synchronized Bad next(AdmissionRequest request) {
            if (behaves || request.jobs().isEmpty() || wasBad || toDo.isEmpty()) {
                wasBad = false;
                return null;
            }
            wasBad = random.nextBoolean();
            return wasBad ? toDo.remove(0) : null;
        }

        private synchronized Admission good(AdmissionRequest request) {
            Set<Long> no = Set.copyOf(refused);
            List<Long> yes = new ArrayList<>(request.jobs().stream()
                    .map(WaitingJob::id)
                    .filter(id -> !no.contains(id) && random.nextInt(4) > 0)
                    .toList());
            Collections.shuffle(yes, random);
            return Admission.of(yes.subList(0, Math.min(yes.size(), request.room())))
                    .askAgainIn(Duration.ofMillis(random.nextInt(20)));
        }

        private Admission bad(Bad bad, AdmissionRequest request) {
            try {
                return answer(bad, request);
            } finally {
                synchronized (this) {
                    done.add(bad);
                }
            }
        }

        @SuppressWarnings("NullAway")
        private Admission answer(Bad bad, AdmissionRequest request) {
            // The refused ones first: they would be among those that count.
            List<Long> all =
                    new ArrayList<>(request.jobs().stream().map(WaitingJob::id).toList());
            all.sort(Comparator.comparing(id -> refused.contains(id) ? 0 : 1));
            List<Long> some = new ArrayList<>(all.subList(0, Math.min(all.size(), Math.max(0, request.room() - 1))));
            switch (bad) {
                case TOO_MANY -> {
                    for (long id = 1; all.size() <= request.room(); id++) {
                        all.add(-id);
                    }
                    return Admission.of(all);
                }
                case NOT_SHOWN -> some.add(Long.MAX_VALUE);
                case LATER_OR_ENDED -> some.add(random.nextBoolean() ? tomorrow : aJobThatEnded());
                case TWICE -> some.add(some.isEmpty() ? -1L : some.get(0));
                case NULL -> {
                    return null;
                }
                case NULL_AS_ID -> some.add(null);
                case THROWS -> throw new IllegalStateException("no idea");
                case THROWS_AN_ERROR -> throw new StackOverflowError("planted");
                case SLOW, SLOW_THOUGH_INTERRUPTED -> wait(bad == Bad.SLOW_THOUGH_INTERRUPTED);
            }
            return Admission.of(some);
        }

        private void wait(boolean evenIfInterrupted) {
            long until = System.nanoTime() + ANSWER.multipliedBy(3).toNanos();
            while (System.nanoTime() - until < 0) {
                LockSupport.parkNanos(ANSWER.toNanos());
                if (Thread.interrupted() && !evenIfInterrupted) {
                    return;
                }
            }
        }

        private long aJobThatEnded() {
            synchronized (seen) {
                return seen.completed.keySet().stream().findFirst().orElse(-1L);
            }
        }

        synchronized boolean hasDoneAll() {
            return done.size() == Bad.values().length;
        }

        synchronized void behaves() {
            behaves = true;
        }
    }
}
