package dev.rowlock.queue.benchmark.peer.jvm;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerClient;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One scheduler per node. Payloads travel as JSON text, as Rowlock's do, rather than by Java serialization. */
final class DbSchedulerSession implements Session {

    /** Each completes its jobs in statements of its own, so several wait for commits at once. */
    private static final int WORKERS = 20;

    private static final Duration POLL = Duration.ofMillis(100);

    /** Of all nodes together. */
    private static final int CONNECTIONS = 250;

    /** As its project documents it, without the index for priorities, which are not used. */
    private static final String TABLE = """
            CREATE TABLE IF NOT EXISTS scheduled_tasks (
                task_name            text NOT NULL,
                task_instance        text NOT NULL,
                task_data            bytea,
                execution_time       timestamptz,
                picked               boolean NOT NULL,
                picked_by            text,
                last_success         timestamptz,
                last_failure         timestamptz,
                consecutive_failures int,
                last_heartbeat       timestamptz,
                version              bigint NOT NULL,
                priority             smallint,
                state                text,
                PRIMARY KEY (task_name, task_instance)
            );
            CREATE INDEX IF NOT EXISTS execution_time_idx ON scheduled_tasks (execution_time);
            CREATE INDEX IF NOT EXISTS last_heartbeat_idx ON scheduled_tasks (last_heartbeat);
            """;

    private static final String INSERT = "INSERT INTO effect VALUES (?, ?)";

    private static final Serializer UTF_8 = new Serializer() {
        @Override
        public byte[] serialize(Object data) {
            return ((String) data).getBytes(StandardCharsets.UTF_8);
        }

        @Override
        public <T> T deserialize(Class<T> type, byte[] data) {
            return type.cast(new String(data, StandardCharsets.UTF_8));
        }
    };

    private final Target target;
    private final HikariDataSource pool;
    private final SchedulerClient client;
    private final List<Scheduler> schedulers = new ArrayList<>();
    private final List<HikariDataSource> pools = new ArrayList<>();

    DbSchedulerSession(Target target) {
        this.target = target;
        this.pool = target.pool(10);
        Sql.execute(pool, TABLE);
        this.client = SchedulerClient.Builder.create(pool).serializer(UTF_8).build();
    }

    @Override
    public void enqueue(Job job) {
        client.schedule(instance(job), Instant.now().plus(job.delay()));
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        Instant now = Instant.now();
        List<SchedulableInstance<?>> instances = new ArrayList<>(jobs.size());
        jobs.forEach(job -> instances.add(SchedulableInstance.of(instance(job), now.plus(job.delay()))));
        client.scheduleBatch(instances);
    }

    private static TaskInstance<String> instance(Job job) {
        return new TaskInstance<>("noop", Long.toString(job.seq()), job.json());
    }

    @Override
    public void startWorkers(Crew crew, Probe probe) {
        start(
                crew,
                Tasks.oneTime("noop", String.class)
                        .execute((instance, context) -> probe.ran(Job.seq(instance.getData()))));
    }

    /** The row is a transaction of its own: the scheduler removes the job in another one, after the handler. */
    @Override
    public void startWriters(Crew crew, Probe probe, int batch) {
        HikariDataSource writers = target.pool(crew.workersOr(WORKERS));
        pools.add(writers);
        JdbcTemplate sql = new JdbcTemplate(writers);
        TransactionTemplate transaction = new TransactionTemplate(new JdbcTransactionManager(writers));
        start(crew, Tasks.oneTime("noop", String.class).execute((instance, context) -> {
            long seq = Job.seq(instance.getData());
            transaction.executeWithoutResult(status -> sql.update(INSERT, seq, Job.TEXT));
            probe.ran(seq);
        }));
    }

    private void start(Crew crew, OneTimeTask<String> task) {
        int workers = crew.workersOr(WORKERS);
        for (int node = 1; node <= crew.nodes(); node++) {
            HikariDataSource own = target.pool(Math.max(3, Math.min(workers + 4, CONNECTIONS / crew.nodes())));
            pools.add(own);
            schedulers.add(Scheduler.create(own, task)
                    .serializer(UTF_8)
                    .threads(workers)
                    .pollingInterval(POLL)
                    .pollUsingLockAndFetch(1.0, 4.0)
                    .schedulerName(new SchedulerName.Fixed("node-" + node))
                    .build());
        }
        schedulers.forEach(Scheduler::start);
    }

    @Override
    public void stopWorkers() {
        schedulers.forEach(Scheduler::stop);
        schedulers.clear();
        pools.forEach(HikariDataSource::close);
        pools.clear();
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM scheduled_tasks WHERE execution_time <= now()");
    }

    @Override
    public void close() {
        stopWorkers();
        pool.close();
    }
}
