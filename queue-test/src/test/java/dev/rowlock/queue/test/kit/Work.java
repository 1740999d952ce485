package dev.rowlock.queue.test.kit;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import dev.rowlock.queue.job.JobContext;
import java.util.ArrayList;
import java.util.List;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Listeners that note what they did, in the database and in memory. */
class Work {

    record Plain(int number, boolean fails) {}

    record InTransaction(int number, boolean fails) {}

    record Again(int number) {}

    record InSteps(int steps) {}

    record Swallows() {}

    record OfTenant(int number) {}

    record Together(int number) {}

    record Rated(int number) {}

    private final JdbcClient jdbc;
    private final JobOperations queue;
    final List<Object> ran = new ArrayList<>();

    Work(JdbcClient jdbc, JobOperations queue) {
        this.jdbc = jdbc;
        this.queue = queue;
        jdbc.sql("CREATE TABLE IF NOT EXISTS note (number int PRIMARY KEY)").update();
    }

    @JobListener(queue = "plain")
    void plain(Plain job, JobContext context) {
        write(job.number());
        ran.add(job);
        if (job.fails() && context.attempt() == 1) {
            throw new IllegalStateException("the first attempt fails");
        }
    }

    @JobListener(queue = "transactional", transactional = true, keepResult = true)
    String inTransaction(InTransaction job, JobContext context) {
        write(job.number());
        ran.add(job);
        if (job.fails() && context.attempt() == 1) {
            throw new IllegalStateException("the first attempt fails");
        }
        return "number " + job.number();
    }

    @JobListener(queue = "again")
    void again(Again job) {
        queue.enqueue(new Again(job.number() + 1));
    }

    @JobListener(queue = "steps", maxRetries = "1")
    void inSteps(InSteps job, JobContext context) {
        int done = context.checkpoint(Integer.class).orElse(0);
        for (int step = done + 1; step <= job.steps(); step++) {
            write(step);
            ran.add(step);
            context.saveCheckpoint(step);
            if (step == 2 && context.attempt() == 1) {
                write(99); // behind the checkpoint
                throw new IllegalStateException("after the second step");
            }
        }
    }

    @JobListener(queue = "plain")
    void swallows(Swallows job) {
        write(1);
        try {
            write(1);
        } catch (DuplicateKeyException e) {
            ran.add("swallowed");
        }
    }

    @JobListener(queue = "tenants", maxRetries = "3")
    void ofTenant(OfTenant job, JobContext context) {
        if (job.number() == 1 && context.attempt() == 1) {
            throw new IllegalStateException("the first of the tenant fails");
        }
        ran.add(job);
    }

    @JobListener(queue = "chunks", batch = "10")
    void together(List<Together> jobs) {
        ran.addAll(jobs);
    }

    @JobListener(queue = "rated")
    void rated(Rated job) {
        ran.add(job);
    }

    private void write(int number) {
        jdbc.sql("INSERT INTO note VALUES (?)").param(number).update();
    }

    List<Integer> notes() {
        return jdbc.sql("SELECT number FROM note ORDER BY number")
                .query(Integer.class)
                .list();
    }
}
