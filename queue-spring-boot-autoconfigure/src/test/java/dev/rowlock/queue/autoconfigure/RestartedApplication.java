package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobOperations;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/** An application whose classes are loaded anew at each restart; {@link RestartTest} knows it as a Supplier only. */
public final class RestartedApplication implements Supplier<Object> {

    /** What is enqueued. */
    public record Work(int number) {}

    private final BlockingQueue<Object> done = new LinkedBlockingQueue<>();
    private final JobOperations jobs;

    public RestartedApplication(JobOperations jobs) {
        this.jobs = jobs;
    }

    @JobListener
    public void on(Work work) {
        done.add(work);
    }

    /** Enqueues a job, and returns the payload that the listener got. */
    @Override
    public Object get() {
        jobs.enqueue(new Work(1));
        try {
            Object work = done.poll(30, TimeUnit.SECONDS);
            if (work == null) {
                throw new AssertionError("the listener was not called");
            }
            return work;
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
