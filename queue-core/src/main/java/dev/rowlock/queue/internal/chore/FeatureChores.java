package dev.rowlock.queue.internal.chore;

import dev.rowlock.queue.internal.thread.EndlessTask;
import dev.rowlock.queue.internal.thread.TimeBudget;
import dev.rowlock.queue.spi.ChoreStatus;
import dev.rowlock.queue.spi.NodeStatus.PolicyCounts;
import java.time.Duration;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Runs the chores of features on this node. Each feature has a thread. */
public final class FeatureChores {

    private record Part(Feature feature, ChoreLoop loop, List<Chore> chores) {

        static Part of(Feature feature, OwnNode node) {
            List<Chore> chores = feature.chores(node);
            return new Part(feature, new ChoreLoop("rowlock-" + feature.name(), chores), chores);
        }

        void runWithin(Duration time, Predicate<Chore> which) {
            chores.stream().filter(which).forEach(chore -> loop.runWithin(chore, time));
        }

        void changed(Duration pause) {
            chores.stream().filter(Chore::dueAfterChange).forEach(Chore::changed);
            runWithin(pause, Chore::dueAfterChange);
        }
    }

    private final List<Part> parts;

    public FeatureChores(List<Feature> features, OwnNode node) {
        this.parts = features.stream().map(feature -> Part.of(feature, node)).toList();
    }

    public void start() {
        parts.forEach(part -> part.loop.start());
    }

    /** Somebody has changed something: those chores run that must know, after this time at the latest. */
    public void attention(Duration pause) {
        parts.forEach(part -> part.changed(pause));
    }

    /** The node hears of changes from now on, and may have missed some: those chores run that must not wait, after this time at the latest. */
    public void connected(Duration pause) {
        parts.forEach(part -> part.runWithin(pause, Chore::dueAfterConnect));
    }

    /** Its threads. */
    public List<EndlessTask> threads() {
        return parts.stream().map(part -> part.loop.part()).toList();
    }

    /** Its threads with a chore that has not succeeded for long, by name. */
    public Stream<String> failing() {
        return parts.stream()
                .map(Part::loop)
                .filter(ChoreLoop::failing)
                .map(loop -> loop.part().name());
    }

    /** How each chore does. */
    public Stream<ChoreStatus> chores() {
        return parts.stream().map(Part::loop).flatMap(ChoreLoop::statuses);
    }

    /** What policies have answered that they ask. */
    public Stream<PolicyCounts> policies() {
        return parts.stream().map(Part::loop).flatMap(ChoreLoop::policies);
    }

    /** Lets the threads end after what is under way. */
    public void stop() {
        parts.forEach(part -> part.loop.stop());
    }

    /** Waits for that, but not longer than this, and lets features do the last they have to do. */
    public void awaitStop(TimeBudget longest) {
        parts.forEach(part -> part.loop.awaitStop(longest.left()));
        parts.stream().filter(part -> part.loop.ended()).forEach(part -> part.feature.last(longest));
    }
}
