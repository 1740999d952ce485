package dev.rowlock.queue.benchmark.peer.sql;

import com.zaxxer.hikari.HikariDataSource;
import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Sql;
import dev.rowlock.queue.benchmark.peer.Target;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** One pipeline of a claimer and a completer, whatever the crew: the jobs do nothing, so more threads would not help. */
final class FloorSession implements Session {

    private final Target target;
    private final boolean keepsDone;
    private final HikariDataSource pool;
    private @Nullable FloorPipeline pipeline;

    FloorSession(Target target, boolean keepsDone) {
        this.target = target;
        this.keepsDone = keepsDone;
        this.pool = target.pool(10);
        Sql.execute(pool, FloorSql.TABLES);
    }

    @Override
    public void enqueue(Job job) {
        enqueueAll(List.of(job));
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        Sql.with(pool, connection -> insert(connection, jobs));
    }

    private static int insert(Connection connection, List<Job> jobs) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FloorSql.ENQUEUE)) {
            statement.setObject(
                    1, jobs.stream().map(job -> (short) -job.priority()).toArray(Short[]::new));
            statement.setObject(2, jobs.stream().map(Job::json).toArray(String[]::new));
            statement.executeQuery().close();
            return jobs.size();
        }
    }

    @Override
    public void startWorkers(Crew crew, Probe probe) {
        pipeline = new FloorPipeline(target.unpooled(), keepsDone, probe);
        pipeline.start();
    }

    @Override
    public void stopWorkers() {
        if (pipeline != null) {
            pipeline.close();
            pipeline = null;
        }
    }

    @Override
    public boolean drained() {
        return !Sql.exists(pool, "SELECT FROM bench.running") && !Sql.exists(pool, "SELECT FROM bench.ready");
    }

    @Override
    public void close() {
        stopWorkers();
        pool.close();
    }
}
