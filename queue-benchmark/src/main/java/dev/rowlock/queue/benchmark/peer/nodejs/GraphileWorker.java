package dev.rowlock.queue.benchmark.peer.nodejs;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.sql.PreparedStatement;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Graphile Worker on Node. Jobs are added by the SQL functions that it documents, workers run in a child process. */
public record GraphileWorker() implements Peer {

    private static final int WORKERS = 24;

    private static final String ADD_ALL = """
            SELECT count(*) FROM graphile_worker.add_jobs(ARRAY(
                SELECT ('noop', payload::json, key, now() + delay * interval '1 ms', NULL, NULL, rank, NULL)::graphile_worker.job_spec
                  FROM unnest(?::text[], ?::bigint[], ?::int[], ?::text[]) AS j (payload, delay, rank, key)))
            """;

    private static final String ADD =
            "SELECT graphile_worker.add_job('noop', ?::json, run_at := now() + ? * interval '1 ms', priority := ?)";

    @Override
    public String name() {
        return "graphile-worker";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(
                Ability.SINGLE,
                Ability.BULK,
                Ability.PRIORITY,
                Ability.DELAY,
                Ability.LISTENS,
                Ability.WORKERS,
                Ability.PAIR,
                Ability.SERIAL,
                Ability.ORDER,
                Ability.CHILD);
    }

    @Override
    public int jobsPerSecond() {
        return 30_000;
    }

    /** A key is a named queue. To find a job, it looks at all queues of which none runs. */
    @Override
    public int jobsPerSecond(KeyRule rule) {
        return rule == KeyRule.NONE ? jobsPerSecond() : 1_000;
    }

    @Override
    public Optional<String> missing() {
        return NodeModules.missing();
    }

    @Override
    public Session open(Target target) {
        return new NodeSession(target, "graphile-worker.js", WORKERS, new Adder(target.pool(10)));
    }

    /** Adds jobs from this process. */
    private record Adder(HikariDataSource pool) implements NodeSession.Adder {

        @Override
        public void add(Job job) {
            Sql.with(pool, connection -> {
                try (PreparedStatement statement = connection.prepareStatement(ADD)) {
                    statement.setString(1, job.json());
                    statement.setLong(2, job.delay().toMillis());
                    statement.setInt(3, -job.priority());
                    return statement.execute();
                }
            });
        }

        @Override
        public void addAll(List<Job> jobs) {
            Sql.with(pool, connection -> {
                try (PreparedStatement statement = connection.prepareStatement(ADD_ALL)) {
                    statement.setObject(1, jobs.stream().map(Job::json).toArray(String[]::new));
                    statement.setObject(
                            2,
                            jobs.stream()
                                    .mapToLong(job -> job.delay().toMillis())
                                    .toArray());
                    statement.setObject(
                            3, jobs.stream().mapToInt(job -> -job.priority()).toArray());
                    statement.setObject(4, jobs.stream().map(Job::key).toArray(String[]::new));
                    return statement.execute();
                }
            });
        }

        @Override
        public boolean drained() {
            return !Sql.exists(pool, "SELECT FROM graphile_worker._private_jobs WHERE run_at <= now()");
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
