package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.chaos.load.Work.Bulky;
import dev.rowlock.queue.chaos.load.Work.Chosen;
import dev.rowlock.queue.chaos.load.Work.Cursed;
import dev.rowlock.queue.chaos.load.Work.Fresh;
import dev.rowlock.queue.chaos.load.Work.Gated;
import dev.rowlock.queue.chaos.load.Work.Index;
import dev.rowlock.queue.chaos.load.Work.Ledger;
import dev.rowlock.queue.chaos.load.Work.Lent;
import dev.rowlock.queue.chaos.load.Work.Money;
import dev.rowlock.queue.chaos.load.Work.Once;
import dev.rowlock.queue.chaos.load.Work.Ordered;
import dev.rowlock.queue.chaos.load.Work.Plain;
import dev.rowlock.queue.chaos.load.Work.Poison;
import dev.rowlock.queue.chaos.load.Work.Rated;
import dev.rowlock.queue.chaos.load.Work.Steered;
import dev.rowlock.queue.chaos.load.Work.Tiny;
import dev.rowlock.queue.job.JobOptions;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** A steady stream of every kind of job, drawn by the seed, until it is stopped. One thread. */
public final class Load implements AutoCloseable {

    private static final int MAX_POISON = 2;
    private static final int MAX_EXHAUST = 2;

    private final Producer producer;
    private final Ways ways;
    private final Bursts bursts;
    private final Random random;
    private final Random steering; // apart: what operators and drafts do does not change what else is drawn
    private final Duration pause;
    private final CountDownLatch stopped = new CountDownLatch(1);
    private final Deque<Long> toCancel = new ArrayDeque<>();
    private final Thread thread = new Thread(this::run, "load");
    private final int maxPoison;
    private final int maxExhaust;
    private int poison;
    private int exhaust;

    /**
     * @param pause between two enqueues
     * @param wanted which jobs may bring down their node: {@code POISON}, {@code EXHAUST}
     */
    public Load(Producer producer, Ways ways, long seed, Duration pause, Predicate<String> wanted) {
        this.maxPoison = wanted.test("POISON") ? MAX_POISON : 0;
        this.maxExhaust = wanted.test("EXHAUST") ? MAX_EXHAUST : 0;
        this.producer = producer;
        this.ways = ways;
        this.bursts = new Bursts(producer);
        this.random = new Random(seed);
        this.steering = new Random(seed + 1);
        this.pause = pause;
    }

    public Load start() {
        thread.setDaemon(true);
        thread.start();
        return this;
    }

    /** Ends the stream; what was enqueued goes on. */
    @Override
    public void close() {
        stopped.countDown();
        try {
            thread.join(180_000); // it removes the last recurring job, or the run would not end
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            producer.rules().set();
            while (!stopped.await(pause.toMillis(), TimeUnit.MILLISECONDS)) {
                one();
                producer.recurrences().next();
                steer();
                producer.drafts().next(steering);
                producer.rules().next(steering);
                producer.questions().next();
                if (toCancel.size() > 3) {
                    producer.cancel(toCancel.poll());
                }
            }
            toCancel.forEach(producer::cancel);
            producer.recurrences().remove();
            producer.operators().stop();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The shares of a hundred. */
    private void one() {
        int draw = random.nextInt(100);
        long uid = producer.nextUid();
        JobOptions plain = JobOptions.NONE.priority(random.nextInt(5) - 2);
        if (draw < 6) {
            chunk(uid, plain);
        } else if (draw < 9) {
            gated(uid, plain, random.nextBoolean());
        } else if (draw < 12) {
            ordered(uid, plain);
        } else if (draw < 13) {
            linked(uid);
        } else if (draw < 16) {
            enqueue(new Plain(uid, Act.SLEEP, random.nextInt(40)), plain);
        } else if (draw < 20) {
            enqueue(new Plain(uid, Act.SLEEP, 500 + random.nextInt(4_000)), plain);
        } else if (draw < 26) {
            Act act = random.nextInt(2) == 0 ? Act.RETRY : Act.COUNT;
            enqueue(new Plain(uid, act, 1 + random.nextInt(3) * (act == Act.COUNT ? 5 : 1)), plain);
        } else if (draw < 28) {
            enqueue(new Plain(uid, Act.FAIL, 0), plain);
        } else if (draw < 31) {
            enqueue(new Plain(uid, Act.SNOOZE, 3), plain);
        } else if (draw < 33) {
            chosen(uid, plain);
        } else if (draw < 35) {
            enqueue(new Plain(uid, Act.ERROR, 0), plain);
        } else if (draw < 48) {
            enqueue(new Money(uid, Act.SLEEP, random.nextInt(200)), plain);
        } else if (draw < 51) {
            rated(uid, plain);
        } else if (draw < 53) {
            enqueue(new Money(uid, Act.RETRY, 1 + random.nextInt(2)), plain);
        } else if (draw < 57) {
            enqueue(new Plain(uid, Act.SLEEP, 5), plain.delay(Duration.ofMillis(random.nextInt(3_000))));
        } else if (draw < 62) {
            enqueue(new Fresh(uid, Act.SLEEP, 5), plain);
        } else if (draw < 67) {
            bulk(uid, plain);
        } else if (draw < 74) {
            enqueue(new Tiny(uid, Act.SLEEP, random.nextInt(40)), plain.queue(Tiny.queue(uid)));
        } else if (draw < 81) {
            Way way = Way.values()[random.nextInt(Way.values().length)];
            ways.take(way, random.nextInt(2), new Plain(uid, Act.SLEEP, 1), plain);
        } else if (draw < 86) {
            enqueue(new Cursed(uid, random.nextInt(3) > 0 ? Act.SLEEP : Act.RETRY, 1), plain);
        } else if (draw < 91) {
            limited(uid, plain);
        } else if (draw < 97) {
            odd(uid, plain);
        } else {
            rare(uid, plain);
        }
    }

    /** A job for the operators now and then; half of them fail until somebody gives them another payload. */
    private void steer() {
        if (steering.nextInt(4) == 0) {
            Steered work = new Steered(producer.nextUid(), steering.nextBoolean() ? Act.SLEEP : Act.FAIL, 1);
            JobOptions options = JobOptions.NONE.maxRetries(0).delay(Duration.ofMillis(steering.nextInt(2_000)));
            producer.operators().know(producer.enqueue(work, options), work);
        }
        producer.operators().next(steering);
    }

    /** Jobs with keys, of which only some may run at once: short, long, failing, put off, due later, and many together. */
    private void gated(long uid, JobOptions options, boolean lent) {
        switch (random.nextInt(6)) {
            case 0 -> enqueue(gated(uid, Act.RETRY, 1, lent), options);
            case 1 -> enqueue(gated(uid, Act.SNOOZE, 2, lent), options);
            case 2 ->
                enqueue(gated(uid, Act.SLEEP, 300, lent), options.delay(Duration.ofMillis(random.nextInt(1_000))));
            case 3 ->
                producer.enqueueAll(
                        IntStream.range(0, 1 + random.nextInt(20))
                                .mapToObj(i -> gated(i == 0 ? uid : producer.nextUid(), Act.SLEEP, 10, lent))
                                .toList(),
                        options,
                        random.nextInt(4) > 0);
            default -> enqueue(gated(uid, Act.SLEEP, random.nextInt(100), lent), options);
        }
    }

    /** Jobs that may not begin as fast as they come: short, tried again, put off, and many together. */
    private void rated(long uid, JobOptions options) {
        switch (random.nextInt(5)) {
            case 0 -> enqueue(new Rated(uid, Act.RETRY, 1), options);
            case 1 -> enqueue(new Rated(uid, Act.SNOOZE, 2), options);
            case 2 -> enqueue(new Rated(uid, Act.SLEEP, 300), options);
            default ->
                producer.enqueueAll(
                        IntStream.range(0, 1 + random.nextInt(30))
                                .mapToObj(i -> new Rated(i == 0 ? uid : producer.nextUid(), Act.SLEEP, 10))
                                .toList(),
                        options,
                        random.nextInt(4) > 0);
        }
    }

    /** @param lent in the queue whose keys borrow places from each other */
    private static Work gated(long uid, Act act, int number, boolean lent) {
        return lent ? new Lent(uid, act, number) : new Gated(uid, act, number);
    }

    /** Jobs whose keys are in order: short, tried again, put off, failing, due later, and many together. */
    private void ordered(long uid, JobOptions options) {
        switch (random.nextInt(6)) {
            case 0 -> enqueue(new Ordered(uid, Act.RETRY, 2), options);
            case 1 -> enqueue(new Ordered(uid, Act.SNOOZE, 2), options);
            case 2 -> enqueue(new Ordered(uid, Act.FAIL, 0), options);
            case 3 ->
                producer.enqueueAll(
                        IntStream.range(0, 1 + random.nextInt(10))
                                .mapToObj(i -> ofOrder(i == 0 ? uid : producer.nextUid()))
                                .toList(),
                        options,
                        random.nextInt(4) > 0);
            case 4 -> enqueue(new Ordered(uid, Act.SLEEP, 50), options.delay(Duration.ofMillis(random.nextInt(1_000))));
            default -> enqueue(new Ordered(uid, Act.SLEEP, random.nextInt(100)), options);
        }
    }

    private Ordered ofOrder(long uid) {
        return random.nextInt(4) == 0 ? new Ordered(uid, Act.RETRY, 1) : new Ordered(uid, Act.SLEEP, 5);
    }

    /** Jobs that a policy chooses: short, tried again, put off, due later, and many together. */
    private void chosen(long uid, JobOptions options) {
        switch (random.nextInt(5)) {
            case 0 -> enqueue(new Chosen(uid, Act.RETRY, 1), options);
            case 1 -> enqueue(new Chosen(uid, Act.SNOOZE, 2), options);
            case 2 -> enqueue(new Chosen(uid, Act.SLEEP, 50), options.delay(Duration.ofMillis(random.nextInt(1_000))));
            case 3 ->
                producer.enqueueAll(
                        IntStream.range(0, 1 + random.nextInt(20))
                                .mapToObj(i -> new Chosen(i == 0 ? uid : producer.nextUid(), Act.SLEEP, 10))
                                .toList(),
                        options,
                        random.nextInt(4) > 0);
            default -> enqueue(new Chosen(uid, Act.SLEEP, random.nextInt(100)), options);
        }
    }

    /** A workflow whose jobs are short, tried again, put off, or fail, for ever or until they are redriven. */
    private void linked(long uid) {
        Shape shape = Shape.values()[random.nextInt(Shape.values().length)];
        Act failing = shape == Shape.HELD || random.nextBoolean() ? Act.MEND : Act.FAIL;
        producer.linked(
                shape,
                IntStream.range(0, Shape.JOBS)
                        .mapToObj(place -> {
                            int draw = random.nextInt(8);
                            Act act = draw == 0 ? Act.RETRY : draw == 1 ? Act.SNOOZE : draw == 2 ? failing : Act.SLEEP;
                            return new Work.Linked(
                                    place == 0 ? uid : producer.nextUid(),
                                    act,
                                    act == Act.SLEEP ? random.nextInt(60) : 1);
                        })
                        .toList());
    }

    /** Every other job under a unique key. */
    private long enqueue(Work work, JobOptions options) {
        return work.uid() % 2 == 0 ? producer.enqueueUnique(work, options) : producer.enqueue(work, options);
    }

    private void bulk(long uid, JobOptions options) {
        boolean commit = random.nextInt(3) > 0;
        producer.enqueueAll(
                IntStream.range(0, 1 + random.nextInt(60))
                        .mapToObj(i -> new Money(i == 0 ? uid : producer.nextUid(), Act.SLEEP, random.nextInt(10)))
                        .toList(),
                options,
                commit);
    }

    /** Jobs that run together, some of which fail and so fail their calls; one alone may be cancelled. */
    private void chunk(long uid, JobOptions options) {
        boolean transactional = random.nextBoolean();
        if (random.nextInt(4) == 0) {
            Work alone = transactional ? new Ledger(uid, Act.SLEEP, 300) : new Index(uid, Act.SLEEP, 300);
            toCancel.add(enqueue(alone, options));
            return;
        }
        producer.enqueueAll(
                IntStream.range(0, 1 + random.nextInt(40))
                        .mapToObj(i -> ofChunk(i == 0 ? uid : producer.nextUid(), transactional))
                        .toList(),
                options,
                random.nextInt(4) > 0);
    }

    private Work ofChunk(long uid, boolean transactional) {
        int draw = random.nextInt(20);
        Act act = draw > 2 ? Act.SLEEP : draw == 2 ? Act.ERROR : draw == 1 ? Act.RETRY : Act.FAIL;
        int number = act == Act.RETRY ? 1 : random.nextInt(3);
        return transactional ? new Ledger(uid, act, number) : new Index(uid, act, number);
    }

    /** Jobs that end by their timeout, or just before. */
    private void limited(long uid, JobOptions options) {
        JobOptions never = options.maxRetries(0);
        switch (random.nextInt(4)) {
            case 0 -> toCancel.add(enqueue(new Plain(uid, Act.SIT, 0), never.timeout(Duration.ofSeconds(8))));
            case 1 -> enqueue(new Plain(uid, Act.SIT, 0), never.timeout(Duration.ofMillis(700)));
            case 2 -> enqueue(new Plain(uid, Act.SLEEP, 300), never.timeout(Duration.ofSeconds(1)));
            default -> enqueue(new Once(uid, Act.SLEEP, random.nextInt(500)), options);
        }
    }

    private void odd(long uid, JobOptions options) {
        int number = random.nextInt(1_000);
        switch (random.nextInt(4)) {
            case 0 -> enqueue(new Plain(uid, Act.ODD, number), options);
            case 1 -> enqueue(new Plain(uid, Act.NONSENSE, number), options);
            case 2 -> enqueue(new Plain(uid, Act.LEAVE, number), options);
            default -> enqueue(new Plain(uid, Act.PROGRESS, 1 + number % 5), options);
        }
    }

    private void rare(long uid, JobOptions options) {
        switch (random.nextInt(9)) {
            case 0 -> enqueue(new Plain(uid, Act.IGNORE, 2_000), options);
            case 1 -> enqueue(new Once(uid, Act.IGNORE, 14_000), options);
            case 2 -> enqueue(new Plain(uid, Act.HOG, 1_500), options);
            case 3 -> bursts.mixed();
            case 4 -> bursts.bulky();
            case 5 -> bursts.rated();
            case 6 -> {
                if (poison++ < maxPoison) {
                    enqueue(new Poison(uid, poison % 2 == 0 ? Act.HALT : Act.EXIT, 0), options);
                }
            }
            case 7 -> {
                if (exhaust++ < maxExhaust) {
                    enqueue(new Poison(uid, Act.EXHAUST, 300), options.maxRetries(1));
                }
            }
            default -> enqueue(new Bulky(uid, Act.SLEEP, 1), options);
        }
    }
}
