package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.FrontDoors;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Schema;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.Wakeups;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.assertj.core.api.Assertions;
import org.springframework.jdbc.core.simple.JdbcClient;

/** What other nodes and processes do in the database of a node. None of it takes part in a transaction of the calling thread. */
public final class Others {

    private final Schema schema;
    private final DataSource direct;
    private final JdbcClient sql;

    Others(Schema schema, DataSource direct) {
        this.schema = schema;
        this.direct = direct;
        this.sql = JdbcClient.create(direct);
    }

    /** Adds the row of a node that does nothing. */
    public void addNode(Duration lease) {
        sql.sql("""
                INSERT INTO rowlock.node
                SELECT nextval('rowlock.node_id'), 'idle', '{default}', now(), now(), 0, ?
                """).param(lease.toMillis()).update();
    }

    /** Adds rows of nodes that do nothing, with higher ids. A node knows of them after two heartbeats. */
    public void addNodes(int count) {
        sql.sql("""
                INSERT INTO rowlock.node
                SELECT nextval('rowlock.node_id'), 'idle', '{default}', now(), now(), 0, 3600000
                  FROM generate_series(1, ?)
                """).param(count).update();
    }

    /** What a node leaves behind that has just been killed: all that is ready, claimed. */
    public void claimForADeadNode() {
        long dead = sql.sql("""
                INSERT INTO rowlock.node (id, name, queues, started_at, heartbeat_at, beats, lease_millis)
                VALUES (nextval('rowlock.node_id'), 'dead', '{}', now(), now(), 7, 1000)
                RETURNING id
                """).query(Long.class).single();
        sql.sql("""
                WITH r AS (DELETE FROM rowlock.ready RETURNING *)
                INSERT INTO rowlock.running (id, token, node_id, ready_at, enqueued_at, claimed_at, rank, attempt, crashes, queue, type, payload)
                SELECT id, nextval('rowlock.claim_token'), :dead, ready_at, enqueued_at, now(), rank, 1, 0, queue, type, payload FROM r
                """).param("dead", dead).update();
    }

    /** Of another process, not through the pool. */
    public JobTemplate jobs(Wakeups wakeups) {
        return FrontDoors.jobs(new Database(direct, schema), TestNode.codec(), wakeups);
    }

    /** As if another process had enqueued a job: all nodes hear of it, and the second of them is the first to look. */
    public void tellOfAJob() {
        sql.sql("SELECT pg_notify('rowlock_rowlock', 'elsewhere|r|0|1|1|default')")
                .query()
                .singleRow();
    }

    /** Gives a running job another owner: as if it had been rescued and claimed by somebody else. */
    public void takeAway(JobContext context) {
        int changed = sql.sql("UPDATE rowlock.running SET token = nextval('rowlock.claim_token') WHERE id = ?")
                .param(context.id())
                .update();
        Assertions.assertThat(changed).isEqualTo(1);
    }

    /** Locks a running job until the connection's transaction ends. */
    public static void lockRunning(Connection connection, long id) throws SQLException {
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT FROM rowlock.running WHERE id = ? FOR UPDATE")) {
            statement.setLong(1, id);
            statement.execute();
        }
    }
}
