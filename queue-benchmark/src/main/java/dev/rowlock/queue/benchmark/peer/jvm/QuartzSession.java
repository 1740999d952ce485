package dev.rowlock.queue.benchmark.peer.jvm;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Noop;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.JobKey;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.ConnectionProvider;
import org.quartz.utils.DBConnectionManager;

/** One durable job, and a trigger for each of our jobs: less work for Quartz than a job and a trigger for each. */
final class QuartzSession implements Session {

    private static final int WORKERS = 20;
    private static final JobKey JOB = JobKey.jobKey("noop");

    /** Calls the probe, which Quartz finds by the scheduler's context. */
    public static final class Noop implements org.quartz.Job {
        @Override
        public void execute(JobExecutionContext context) {
            try {
                Probe probe = (Probe) Objects.requireNonNull(
                        context.getScheduler().getContext().get("probe"));
                probe.ran(Long.parseLong(context.getTrigger().getJobDataMap().getString("seq")));
            } catch (SchedulerException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    private final HikariDataSource pool;
    private final Scheduler scheduler;

    QuartzSession(Target target) {
        this.pool = target.pool(WORKERS + 12);
        if (!Sql.exists(pool, "SELECT FROM pg_tables WHERE tablename = 'qrtz_triggers'")) {
            Sql.execute(pool, tables());
        }
        DBConnectionManager.getInstance().addConnectionProvider("bench", new Pooled(pool));
        this.scheduler = scheduler(WORKERS);
        try {
            JobDetail job = JobBuilder.newJob(Noop.class)
                    .withIdentity(JOB)
                    .storeDurably()
                    .build();
            scheduler.addJob(job, true);
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Scheduler scheduler(int threads) {
        Properties properties = new Properties();
        properties.putAll(Map.ofEntries(
                Map.entry("org.quartz.scheduler.instanceName", "bench"),
                Map.entry("org.quartz.scheduler.instanceId", "AUTO"),
                Map.entry("org.quartz.scheduler.skipUpdateCheck", "true"),
                Map.entry("org.quartz.scheduler.idleWaitTime", "1000"),
                Map.entry("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(threads)),
                Map.entry("org.quartz.threadPool.threadCount", Integer.toString(threads)),
                Map.entry("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX"),
                Map.entry("org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate"),
                Map.entry("org.quartz.jobStore.dataSource", "bench"),
                Map.entry("org.quartz.jobStore.useProperties", "true"),
                Map.entry("org.quartz.jobStore.acquireTriggersWithinLock", "true"),
                Map.entry("org.quartz.jobStore.misfireThreshold", "3600000")));
        try {
            return new StdSchedulerFactory(properties).getScheduler();
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void enqueue(Job job) {
        try {
            scheduler.scheduleJob(TriggerBuilder.newTrigger()
                    .forJob(JOB)
                    .withIdentity(Long.toString(job.seq()))
                    .usingJobData("seq", Long.toString(job.seq()))
                    .usingJobData("text", job.text())
                    .startAt(Date.from(Instant.now().plus(job.delay())))
                    .build());
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        jobs.forEach(this::enqueue);
    }

    /** The crew's size has to be known when the tables are opened, so it is not heeded. */
    @Override
    public void startWorkers(Crew crew, Probe probe) {
        try {
            scheduler.getContext().put("probe", probe);
            scheduler.start();
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public void stopWorkers() {
        try {
            scheduler.standby();
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM qrtz_triggers") && !Sql.exists(pool, "SELECT FROM qrtz_fired_triggers");
    }

    @Override
    public void close() {
        try {
            scheduler.shutdown(true);
        } catch (SchedulerException e) {
            throw new IllegalStateException(e);
        }
        pool.close();
    }

    private static String tables() {
        try (InputStream script =
                QuartzSession.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql")) {
            if (script == null) {
                throw new IllegalStateException("Quartz comes without its tables");
            }
            return new String(script.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Hands Quartz our pool. */
    private record Pooled(HikariDataSource pool) implements ConnectionProvider {
        @Override
        public Connection getConnection() throws SQLException {
            return pool.getConnection();
        }

        @Override
        public void shutdown() {}

        @Override
        public void initialize() {}
    }
}
