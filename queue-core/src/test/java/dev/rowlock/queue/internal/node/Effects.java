package dev.rowlock.queue.internal.node;

import dev.rowlock.queue.job.JobContext;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A table that handlers write to, to see what stays of it. */
public final class Effects {

    private final JdbcClient sql;

    public Effects(TestNode node) {
        this.sql = node.sql;
        sql.sql("CREATE TABLE effect (job bigint)").update();
    }

    /** Writes a row for the job, in the transaction of the calling thread if there is one. */
    public void add(JobContext job) {
        sql.sql("INSERT INTO effect VALUES (?)").param(job.id()).update();
    }

    public long count() {
        return sql.sql("SELECT count(*) FROM effect").query(Long.class).single();
    }
}
