package dev.rowlock.queue.benchmark.peer.nodejs;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** pg-boss on Node. It has no documented way to add jobs by SQL in bulk, so its child process adds them. */
public record PgBoss() implements Peer {

    private static final int WORKERS = 20;

    @Override
    public String name() {
        return "pg-boss";
    }

    @Override
    public Set<Ability> abilities() {
        return EnumSet.of(
                Ability.RETENTION, Ability.LIMITS, Ability.SERIAL, Ability.ORDER, Ability.WORKFLOWS, Ability.CHILD);
    }

    @Override
    public int jobsPerSecond() {
        return 3_000;
    }

    @Override
    public Optional<String> missing() {
        return NodeModules.missing();
    }

    @Override
    public Session open(Target target) {
        return new NodeSession(target, "pg-boss.js", WORKERS, new Tables(target.pool(2)));
    }

    /** Only looks. */
    private record Tables(HikariDataSource pool) implements NodeSession.Adder {

        @Override
        public void add(Job job) {
            throw new UnsupportedOperationException("pg-boss adds jobs in its own process");
        }

        @Override
        public boolean addsItself() {
            return true;
        }

        @Override
        public void addAll(List<Job> jobs) {
            throw new UnsupportedOperationException("pg-boss adds jobs in its own process");
        }

        @Override
        public boolean drained() {
            return !Sql.exists(
                    pool, "SELECT FROM pgboss.job WHERE name IN ('noop', 'ordered') AND state < 'completed'");
        }

        @Override
        public void close() {
            pool.close();
        }
    }
}
