package dev.rowlock.queue.chaos.law.feature;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.SharedTime;
import dev.rowlock.queue.chaos.history.SharedTime.Run;
import dev.rowlock.queue.chaos.history.SharedTime.Stretch;
import dev.rowlock.queue.chaos.law.Law;
import dev.rowlock.queue.chaos.law.Violation;
import dev.rowlock.queue.chaos.load.Sharer;
import java.time.Duration;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Where keys share run time, and as long as all have a backlog, handlers of a process work as long for each key as for another, by weight: in each part of
 * such a time, however short or long, up to a lead that does not grow with it. No fault is an excuse. A process shares what its own threads have worked, whatever became of the
 * outcomes; while it cannot claim it works for nobody; and whoever is killed, or started again, is another process to this law.
 *
 * <p>The lead follows from the promise. When a node claims a job of a key, this key is at most a {@link #LEVEL} ahead of each other key that wants time. From then on
 * its lead grows by the jobs of it that are in the node's hands: one on each thread. None is claimed ahead, for that is done for ten milliseconds of work only. None
 * is interrupted, so each adds no more than the longest that the process has run, divided by the weight. As far ahead the other key may have been when the time began. So a
 * fault that keeps handlers from their end, as where the process or the machine stands still, allows as much more as it has prolonged the longest.
 *
 * <p>Besides, a node counts what it does around a handler, which the handlers' own log cannot see: {@link #AROUND}, and as much longer as the handler
 * overslept, for where the machine has no time for the one it has none for the other.
 */
final class RunTimeIsShared implements Law {

    private static final String NAME = "run time is shared";

    /** What counts as level: as much as all threads work in this time. */
    private static final long LEVEL = Duration.ofMillis(10).toNanos();

    private static final long AROUND = Duration.ofMillis(5).toNanos();

    @Override
    public Stream<Violation> broken(History history) {
        return SharedTime.stretches(history).stream()
                .flatMap(stretch -> Stream.of(Sharer.values()).flatMap(key -> broken(stretch, key)));
    }

    private static Stream<Violation> broken(Stretch stretch, Sharer key) {
        return Stream.of(Sharer.values())
                .filter(other -> other != key)
                .filter(other -> lead(stretch, key, other) > allowed(stretch, key) + allowed(stretch, other))
                .map(other -> Violation.of(
                        NAME,
                        "within %d ms, %s worked %d ms longer for key '%s' than for '%s', by weight; %d ms are allowed",
                        millis(stretch.to() - stretch.from()),
                        stretch.node(),
                        millis(lead(stretch, key, other)),
                        key,
                        other,
                        millis(allowed(stretch, key) + allowed(stretch, other))));
    }

    /** How far ahead of others a key may be. */
    private static long allowed(Stretch stretch, Sharer key) {
        long longest = 0;
        long around = 0;
        for (Run run : stretch.runs()) {
            if (run.sharer() == key) {
                long ran = Math.min(run.to(), stretch.to()) - run.from();
                longest = Math.max(longest, ran);
                if (run.to() > stretch.from()) {
                    around += AROUND
                            + Math.max(0, ran - Duration.ofMillis(key.millis()).toNanos());
                }
            }
        }
        return stretch.threads() * LEVEL + (stretch.threads() * longest + around) / key.weight();
    }

    /** The most that a key has gained on another one from any moment to a later one. */
    private static long lead(Stretch stretch, Sharer key, Sharer other) {
        TreeMap<Long, Double> changes =
                new TreeMap<>(Map.of(stretch.to(), 0.0)); // of how much faster one works than the other
        stretch.runs().stream().filter(run -> run.to() > stretch.from()).forEach(run -> {
            double rate = run.sharer() == key ? 1.0 / key.weight() : run.sharer() == other ? -1.0 / other.weight() : 0;
            changes.merge(Math.max(run.from(), stretch.from()), rate, Double::sum);
            changes.merge(Math.min(run.to(), stretch.to()), -rate, Double::sum);
        });
        double ahead = 0;
        double least = 0;
        double most = 0;
        double rate = 0;
        long since = stretch.from();
        for (Map.Entry<Long, Double> change : changes.entrySet()) {
            ahead += rate * (change.getKey() - since);
            least = Math.min(least, ahead);
            most = Math.max(most, ahead - least);
            rate += change.getValue();
            since = change.getKey();
        }
        return (long) most;
    }

    private static long millis(long nanos) {
        return Duration.ofNanos(nanos).toMillis();
    }
}
