package dev.rowlock.queue.benchmark.peer;

import dev.rowlock.queue.benchmark.Target;
import dev.rowlock.queue.benchmark.measure.Probe;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A script in a child process makes the tables and runs the jobs; an adder adds them, here or there. */
final class NodeSession implements Session {

    /** The part that needs no Node. */
    interface Adder extends AutoCloseable {

        void add(Job job);

        void addAll(List<Job> jobs);

        /** Whether the child has to add jobs. */
        default boolean addsItself() {
            return false;
        }

        boolean drained();

        @Override
        void close();
    }

    private final Target target;
    private final String script;
    private final int workers;
    private final Adder adder;
    private @Nullable Child child;

    NodeSession(Target target, String script, int workers, Adder adder) {
        this.target = target;
        this.script = script;
        this.workers = workers;
        this.adder = adder;
        this.child = start(Crew.of(0)); // makes the tables, and stays until it is known how many shall work
    }

    private Child start(Crew crew) {
        return Child.start(
                List.of(NodeModules.node().toString(), script, target.uri(), Integer.toString(crew.workersOr(workers))),
                NodeModules.folder());
    }

    @Override
    public void enqueue(Job job) {
        adder.add(job);
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        if (adder.addsItself() && child != null) {
            child.command("add %d %d".formatted(jobs.get(0).seq(), jobs.size()));
        } else {
            adder.addAll(jobs);
        }
    }

    @Override
    public void startWorkers(Crew crew, Probe probe) {
        if (child == null) {
            child = start(crew);
        } else if (crew.workers() != 0) {
            child.close();
            child = start(crew);
        }
        child.work(probe);
    }

    @Override
    public void stopWorkers() {
        if (child != null) {
            child.close();
            child = null;
        }
    }

    @Override
    public boolean drained() {
        return adder.drained();
    }

    @Override
    public Duration clientCpu() {
        return child == null ? Duration.ZERO : child.cpu();
    }

    @Override
    public void close() {
        stopWorkers();
        adder.close();
    }
}
