package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.chaos.load.Work.Bulky;
import dev.rowlock.queue.chaos.load.Work.Gated;
import dev.rowlock.queue.chaos.load.Work.Mixed;
import dev.rowlock.queue.chaos.load.Work.Ordered;
import dev.rowlock.queue.chaos.load.Work.Rated;
import dev.rowlock.queue.job.JobOptions;
import java.time.Duration;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/** Many jobs at once, of a kind that nodes find hard to share. Thread-safe. */
public final class Bursts {

    private static final int LONG_MILLIS = 7_000;

    private final Producer producer;

    public Bursts(Producer producer) {
        this.producer = producer;
    }

    /**
     * After quick jobs, which make nodes claim ahead, some long ones among many quick ones. Of these, some may not wait where
     * they were claimed: their timeout is shorter than the long ones take, and they are never retried.
     */
    public void mixed() {
        JobOptions limited = JobOptions.NONE.timeout(Duration.ofSeconds(4)).maxRetries(0);
        producer.enqueueAll(quick(100).toList(), JobOptions.NONE, true);
        producer.enqueueAll(Stream.concat(jobs(5, LONG_MILLIS), quick(15)).toList(), JobOptions.NONE, true);
        producer.enqueueAll(quick(20).toList(), limited, true);
        producer.enqueueAll(quick(150).toList(), JobOptions.NONE, true);
    }

    /** More than the memory of a worker holds, should it take them all at once. */
    public void bulky() {
        List<Bulky> jobs = IntStream.range(0, 50)
                .mapToObj(i -> new Bulky(producer.nextUid(), Act.SLEEP, 1))
                .toList();
        producer.enqueueAll(jobs, JobOptions.NONE, true);
    }

    /**
     * Some keys are blocked for longer than anybody may wait: by long jobs where there are limits, by one where there is order. Behind them wait more jobs of their keys, which
     * are urgent, and jobs of other keys, which are not and may begin all the same.
     */
    public void blocked() {
        String full = Gated.key(producer.nextUid());
        all(2, Gated::key, full, true, uid -> new Gated(uid, Act.SLEEP, LONG_MILLIS));
        all(10, Gated::key, full, true, uid -> new Gated(uid, Act.SLEEP, 10));
        all(6, Gated::key, full, false, uid -> new Gated(uid, Act.SLEEP, 10));
        String held = Ordered.key(producer.nextUid());
        all(1, Ordered::key, held, true, uid -> new Ordered(uid, Act.SLEEP, LONG_MILLIS));
        all(10, Ordered::key, held, true, uid -> new Ordered(uid, Act.SLEEP, 10));
        all(6, Ordered::key, held, false, uid -> new Ordered(uid, Act.RETRY, 1));
        all(6, Ordered::key, held, false, uid -> new Ordered(uid, Act.SLEEP, 10));
    }

    /** More than the rates of the queue and of its keys allow within some seconds. */
    public void rated() {
        producer.enqueueAll(
                LongStream.generate(producer::nextUid)
                        .limit(60)
                        .mapToObj(uid -> new Rated(uid, Act.SLEEP, 5))
                        .toList(),
                JobOptions.NONE,
                true);
    }

    /** So many jobs of this key, which are urgent, or of others. */
    private void all(int count, LongFunction<String> keyOf, String key, boolean ofKey, LongFunction<Work> job) {
        producer.enqueueAll(
                LongStream.generate(producer::nextUid)
                        .filter(uid -> keyOf.apply(uid).equals(key) == ofKey)
                        .limit(count)
                        .mapToObj(job)
                        .toList(),
                JobOptions.NONE.priority(ofKey ? 2 : 0),
                true);
    }

    private Stream<Mixed> quick(int count) {
        return jobs(count, 0);
    }

    private Stream<Mixed> jobs(int count, int millis) {
        return IntStream.range(0, count).mapToObj(i -> new Mixed(producer.nextUid(), Act.SLEEP, millis));
    }
}
