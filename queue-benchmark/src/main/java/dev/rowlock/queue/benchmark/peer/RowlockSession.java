package dev.rowlock.queue.benchmark.peer;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.JacksonPayloadCodec;
import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.benchmark.Target;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.internal.schema.SchemaMigrator;
import dev.rowlock.queue.internal.store.Database;
import dev.rowlock.queue.internal.store.Schema;
import dev.rowlock.queue.internal.store.SendWakeup;
import dev.rowlock.queue.internal.wake.Notifier;
import dev.rowlock.queue.internal.wake.WakeupBus;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.spi.RetentionSettings;
import dev.rowlock.queue.spi.SchemaMode;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import tools.jackson.databind.json.JsonMapper;

/** Puts Rowlock together the way its auto-configuration does. */
final class RowlockSession implements Session {

    /** Enough for the eight producers of a workload; nodes have pools of their own. */
    private static final int POOL = 10;

    private final Target target;
    private final RetentionSettings retention;
    private final HikariDataSource pool;
    private final JacksonPayloadCodec codec =
            new JacksonPayloadCodec(JsonMapper.builder().build());
    private final Notifier notifier;
    private final WakeupBus wakeups;
    private final JobTemplate jobs;
    private final List<RowlockNode> nodes = new ArrayList<>();

    RowlockSession(Target target, RetentionSettings retention) {
        this.target = target;
        this.retention = retention;
        this.pool = target.pool(POOL);
        Database database = new Database(pool, new Schema("rowlock"));
        new SchemaMigrator(pool, database.schema(), SchemaMode.MIGRATE).run();
        this.notifier = new Notifier(new SendWakeup(database));
        this.wakeups = new WakeupBus(notifier);
        this.jobs = new JobTemplate(database, codec, 4 << 20, type -> null, wakeups);
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
    public void enqueueStream(Stream<Job> stream) {
        jobs.enqueueAll(stream.map(job -> new JobRequest(new Noop(job.seq(), job.text()), options(job))));
    }

    private static JobOptions options(Job job) {
        JobOptions options = JobOptions.NONE;
        if (job.priority() != 0) {
            options = options.priority(job.priority());
        }
        return job.delay().isZero() ? options : options.delay(job.delay());
    }

    /** The first node shares this session's pool and hears of new jobs directly, as in one application. */
    @Override
    public void startWorkers(Crew crew, Probe probe) {
        nodes.add(RowlockNode.inside(target, pool, wakeups, codec));
        for (int i = 1; i < crew.nodes(); i++) {
            nodes.add(RowlockNode.apart(target, codec));
        }
        nodes.forEach(node -> node.start(retention, crew, probe));
    }

    @Override
    public void stopWorkers() {
        nodes.forEach(RowlockNode::close);
        nodes.clear();
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM rowlock.running") && !Sql.exists(pool, "SELECT FROM rowlock.ready");
    }

    @Override
    public void close() {
        stopWorkers();
        notifier.close();
        pool.close();
    }
}
