package dev.rowlock.queue.benchmark.peer.nodejs;

import dev.rowlock.queue.benchmark.measure.Probe;
import dev.rowlock.queue.benchmark.peer.Child;
import dev.rowlock.queue.benchmark.peer.Crew;
import dev.rowlock.queue.benchmark.peer.Job;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** A script in a child process, or one for each node, makes the tables and runs the jobs; an adder adds them, here or there. */
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
    private final List<Child> children = new ArrayList<>();
    private String rule = "";

    NodeSession(Target target, String script, int workers, Adder adder) {
        this.target = target;
        this.script = script;
        this.workers = workers;
        this.adder = adder;
        children.add(start(Crew.of(0))); // makes the tables, and stays until it is known how many shall work
    }

    private Child start(Crew crew) {
        Child child = Child.start(
                List.of(NodeModules.node().toString(), script, target.uri(), Integer.toString(crew.workersOr(workers))),
                NodeModules.folder());
        if (!rule.isEmpty()) {
            child.command(rule);
        }
        return child;
    }

    @Override
    public void rule(KeyRule named, int keys) {
        rule = "rule %s %d".formatted(named, keys);
        children.forEach(child -> child.command(rule));
    }

    @Override
    public void enqueueChains(List<Job> jobs, int length) {
        children.get(0).command("chain %d %d %d".formatted(jobs.get(0).seq(), jobs.size(), length));
    }

    @Override
    public void enqueue(Job job) {
        adder.add(job);
    }

    @Override
    public void enqueueAll(List<Job> jobs) {
        if (adder.addsItself() && !children.isEmpty()) {
            children.get(0).command("add %d %d".formatted(jobs.get(0).seq(), jobs.size()));
        } else {
            adder.addAll(jobs);
        }
    }

    @Override
    public void startWorkers(Crew crew, Probe probe) {
        if (crew.workers() != 0) {
            stopWorkers(); // the one that is there was started for another number
        }
        while (children.size() < crew.nodes()) {
            children.add(start(crew));
        }
        children.forEach(child -> child.work(probe));
    }

    @Override
    public void stopWorkers() {
        children.forEach(Child::close);
        children.clear();
    }

    @Override
    public boolean drained() {
        return adder.drained();
    }

    @Override
    public Duration clientCpu() {
        return children.stream().map(Child::cpu).reduce(Duration.ZERO, Duration::plus);
    }

    @Override
    public void close() {
        try {
            stopWorkers();
        } finally {
            adder.close();
        }
    }
}
