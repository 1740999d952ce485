package dev.rowlock.queue.benchmark.peer.jvm;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.server.JobActivator;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;
import org.jobrunr.utils.mapper.jackson3.Jackson3JsonMapper;
import org.jspecify.annotations.Nullable;

/** By job requests, which spare it the analysis of lambdas. Done jobs stay in its table, in their state. */
final class JobRunrSession implements Session {

    /** More than its default, eight per processor, so that several wait for commits at once. */
    private static final int WORKERS = 50;

    /** The shortest that it takes. */
    private static final Duration POLL = Duration.ofSeconds(5);

    /** What JobRunr calls a request. */
    public record Request(long seq, String text) implements JobRequest {
        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    /** Calls the probe. */
    public record Handler(Probe probe) implements JobRequestHandler<Request> {
        @Override
        public void run(Request request) {
            probe.ran(request.seq());
        }
    }

    private final HikariDataSource pool;
    private final PostgresStorageProvider storage;
    private JobRequestScheduler scheduler;
    private @Nullable BackgroundJobServer server;

    JobRunrSession(Target target) {
        this.pool = target.pool(WORKERS + 10);
        this.storage = new PostgresStorageProvider(pool);
        this.scheduler = JobRunr.configure()
                .useJsonMapper(new Jackson3JsonMapper())
                .useStorageProvider(storage)
                .initialize()
                .getJobRequestScheduler();
    }

    @Override
    public void enqueue(Job job) {
        if (job.delay().isZero()) {
            scheduler.enqueue(request(job));
        } else {
            scheduler.schedule(Instant.now().plus(job.delay()), request(job));
        }
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        if (jobs.get(0).delay().isZero()) {
            scheduler.enqueue(jobs.stream().map(JobRunrSession::request));
        } else {
            jobs.forEach(this::enqueue);
        }
    }

    private static Request request(Job job) {
        return new Request(job.seq(), job.text());
    }

    @Override
    public void startWorkers(Crew crew, Probe probe) {
        Handler handler = new Handler(probe);
        server = JobRunr.configure()
                .useJsonMapper(new Jackson3JsonMapper())
                .useStorageProvider(storage)
                .useJobActivator(new JobActivator() {
                    @Override
                    public <T> T activateJob(Class<T> type) {
                        return type.cast(handler);
                    }
                })
                .useBackgroundJobServer(
                        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                .andPollInterval(POLL)
                                .andWorkerCount(crew.workersOr(WORKERS)),
                        true)
                .initialize()
                .getBackgroundJobServer();
    }

    @Override
    public void stopWorkers() {
        if (server != null) {
            server.stop();
            server = null;
        }
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM jobrunr_jobs WHERE state IN ('ENQUEUED', 'PROCESSING')");
    }

    @Override
    public void close() {
        stopWorkers();
        storage.close();
        pool.close();
    }
}
