package dev.rowlock.queue.benchmark.peer.rowlock;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Noop;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.RecurringJobs;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.settings.SchemaMode;
import dev.rowlock.queue.workflow.Workflow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Puts Rowlock together the way its auto-configuration does. */
final class RowlockSession implements Session {

    /** Enough for the eight producers of a workload; nodes have pools of their own. */
    private static final int POOL = 10;

    /** As many as db-scheduler has. */
    private static final int WRITERS = 20;

    /** Each has a chunk in hand; the machine has two cores. */
    private static final int CHUNK_WRITERS = 4;

    private final Target target;
    private final RetentionSettings retention;
    private final HikariDataSource pool;
    private final CrewListeners listeners = new CrewListeners();
    private final Rowlock rowlock;
    private final JobTemplate jobs;
    private final List<RowlockNode> others = new ArrayList<>();
    private final List<AdmissionPolicy> policies = new ArrayList<>();

    RowlockSession(Target target, RetentionSettings retention) {
        this.target = target;
        this.retention = retention;
        this.pool = target.pool(POOL);
        this.rowlock = RowlockNode.builder(target, pool, retention, listeners)
                .schemaOnBuild(SchemaMode.MIGRATE)
                .policies(() -> policies)
                .build();
        this.jobs = rowlock.jobs();
    }

    @Override
    public void enqueue(Job job) {
        jobs.enqueue(new Noop(job.seq(), job.text()), options(job));
    }

    @Override
    public void enqueueAll(List<Job> batch) {
        enqueueStream(batch.stream());
    }

    @Override
    public void enqueueChains(List<Job> batch, int length) {
        Workflow workflow = Workflow.named("benchmark");
        List<Noop> payloads =
                batch.stream().map(job -> new Noop(job.seq(), job.text())).toList();
        if (length == 0) {
            workflow.each("all", payloads);
        }
        for (int i = 0; i < payloads.size() && length > 0; i++) {
            String before = "s" + (i - 1);
            boolean begins = i % length == 0;
            workflow.step("s" + i, payloads.get(i), s -> begins ? s : s.after(before));
        }
        rowlock.workflows().start(workflow);
    }

    @Override
    public void enqueueStream(Stream<Job> stream) {
        jobs.enqueueAll(stream.map(job -> new JobRequest(new Noop(job.seq(), job.text()), options(job))));
    }

    private static JobOptions options(Job job) {
        JobOptions options = JobOptions.NONE;
        if (job.priority() != 0) {
            options = options.priority(job.priority());
        }
        if (job.key() != null) {
            options = options.key(job.key());
        }
        return job.delay().isZero() ? options : options.delay(job.delay());
    }

    @Override
    public void rule(KeyRule rule, int keys) {
        QueueLimits limits = rowlock.limits();
        QueueLimit none = QueueLimit.of(JobTemplate.DEFAULT_QUEUE);
        switch (rule) {
            case NONE, TURNS -> limits.remove(none.queue());
            case TEN_AT_ONCE -> limits.set(none.maxRunningPerKey(10));
            case BURST -> limits.set(none.maxRunningPerKey(5).burstPerKey(10));
            case ONE_AT_ONCE -> limits.set(none.maxRunningPerKey(1));
            case POLICY -> policies.add(new FirstOnes());
            case IN_ORDER -> limits.set(none.inOrder(AfterFailure.HOLD));
            case RATE -> limits.set(none.ratePerKey(Rate.perSecond(1_000_000)));
            case WEIGHTS ->
                LongStream.range(0, keys / 2).forEach(key -> limits.weight(none.queue(), Job.key(2 * key), 3));
        }
        // As if it had been there for a while: in the first minute of a rule claims also look for jobs from before it.
        Sql.execute(pool, "UPDATE rowlock.queue_limit SET changed_at = changed_at - interval '1 hour'");
    }

    @Override
    public void recur(int others) {
        RecurringJobs recurring = rowlock.recurringJobs();
        recurring.create(RecurringJob.of("each-second", Schedule.every(Duration.ofSeconds(1)), new Noop(0, "tick")));
        Schedule daily = Schedule.cron("0 0 0 * * *");
        for (int i = 0; i < others; i++) {
            recurring.create(RecurringJob.of("daily-" + i, daily, new Noop(0, "day")));
        }
    }

    @Override
    public long[] lateness() {
        return Sql.numbers(pool, """
                SELECT (extract(epoch FROM claimed_at - (headers ->> 'scheduled-at')::timestamptz) * 1000000000)::bigint
                  FROM rowlock.done WHERE headers ->> 'recurring-job' = 'each-second' ORDER BY id
                """);
    }

    /** The first node shares this session's pool and hears of new jobs directly, as in one application. */
    @Override
    public void startWorkers(Crew crew, Probe probe) {
        listeners.serve(crew, probe);
        for (int i = 1; i < crew.nodes(); i++) {
            others.add(new RowlockNode(target, retention, listeners));
        }
        rowlock.start();
        others.forEach(RowlockNode::start);
    }

    /** A node beside this session, whose pool has a connection for each thread. */
    @Override
    public void startWriters(Crew crew, Probe probe, int batch) {
        int workers = batch == 1 ? crew.workersOr(WRITERS) : CHUNK_WRITERS;
        RowlockNode node = new RowlockNode(
                target,
                retention,
                workers + RowlockNode.POOL,
                pool -> new WritingListener(pool, workers, batch, probe));
        others.add(node);
        node.start();
    }

    @Override
    public void stopWorkers() {
        rowlock.stop();
        others.forEach(RowlockNode::close);
        others.clear();
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM rowlock.running")
                && !Sql.exists(pool, "SELECT FROM rowlock.ready")
                && !Sql.exists(pool, "SELECT FROM rowlock.workflow WHERE state = 'running'");
    }

    @Override
    public void close() {
        stopWorkers();
        rowlock.close();
        pool.close();
    }

    /** Chooses what would come next without it, as much as it may. */
    private static final class FirstOnes implements AdmissionPolicy {

        @Override
        public String queue() {
            return JobTemplate.DEFAULT_QUEUE;
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            return Admission.of(request.jobs().stream()
                    .limit(request.room())
                    .map(WaitingJob::id)
                    .toList());
        }
    }
}
