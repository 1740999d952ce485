package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobType;
import dev.rowlock.queue.gate.Rate;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;

/**
 * What a job of the load carries: who it is, and what its handler is to do. One class per type of job, because a type
 * is what listeners differ by.
 */
public sealed interface Work {

    /** Given by the producer, unique in a run: it names the job also where the producer never learnt its id. */
    long uid();

    Act act();

    /** Milliseconds, or how often, as the act understands it. */
    int number();

    /** A plain listener. */
    @JobType("plain")
    record Plain(long uid, Act act, int number) implements Work {}

    /** A transactional listener: writes one effect and completes in the same transaction. */
    @JobType("money")
    record Money(long uid, Act act, int number) implements Work {}

    /** A listener of chunks, in a queue of its own. */
    @JobType(value = "index", queue = "index")
    record Index(long uid, Act act, int number) implements Work {}

    /** A transactional listener of chunks, in a queue of its own: writes one effect for each job, and all commit together. */
    @JobType(value = "ledger", queue = "ledger")
    record Ledger(long uid, Act act, int number) implements Work {}

    /** A queue of its own, for jobs that bring down their node: its listener has one thread. */
    @JobType(value = "poison", queue = "poison")
    record Poison(long uid, Act act, int number) implements Work {}

    /** Only the new version of the application knows this type. */
    @JobType("fresh")
    record Fresh(long uid, Act act, int number) implements Work {}

    /** A listener that is never retried and has a timeout, in a queue of its own. */
    @JobType(value = "once", queue = "once")
    record Once(long uid, Act act, int number) implements Work {

        /** The listener's. */
        public static final Duration TIMEOUT = Duration.ofSeconds(1);
    }

    /** A plain listener; from time to time the database refuses the rows of this type. */
    @JobType("cursed")
    record Cursed(long uid, Act act, int number) implements Work {}

    /** A plain listener; almost as large as a job may be, and a hundredth of that when it is compressed. */
    @JobType("bulky")
    record Bulky(long uid, Act act, int number, String ballast) implements Work {

        private static final String BALLAST = "rowlock ".repeat(115_000);

        public Bulky(long uid, Act act, int number) {
            this(uid, act, number, BALLAST);
        }
    }

    /** Of recurring jobs: all runs have the same payload, so it names none. */
    @JobType(value = "tick", queue = "ticks")
    record Tick(long uid, Act act, int number) implements Work {}

    /** Of requests that change the job which holds their key; see {@link Drafts}. */
    @JobType(value = "draft", queue = "drafts")
    record Draft(long uid, Act act, int number) implements Work {}

    /** What operators pause, redrive and change while it waits; in a queue of its own. */
    @JobType(value = "steered", queue = "steered")
    record Steered(long uid, Act act, int number) implements Work {}

    /** In a queue with limits: so many jobs of it, and so many of each key, may run at once over all nodes. One of its keys has a weight. */
    @JobType(value = "gated", queue = Gated.QUEUE, key = "key()")
    record Gated(long uid, Act act, int number) implements Work {

        public static final String QUEUE = "gated";
        public static final int MAX_RUNNING = 4;
        public static final int MAX_RUNNING_PER_KEY = 2;
        private static final int KEYS = 3;

        /** The key of this job. */
        public static String key(long uid) {
            return "key-" + uid % KEYS;
        }

        /** As its type says. */
        public String key() {
            return key(uid);
        }
    }

    /** In a queue with a rate and a limit, and the same for each key: a job must have room under all four at once. */
    @JobType(value = "rated", queue = Rated.QUEUE, key = "key()")
    record Rated(long uid, Act act, int number) implements Work {

        public static final String QUEUE = "rated";
        public static final Rate RATE = Rate.perSecond(15).burst(4);
        public static final Rate RATE_PER_KEY = Rate.perSecond(8).burst(3);
        public static final int MAX_RUNNING = 4;
        public static final int MAX_RUNNING_PER_KEY = 2;
        private static final int KEYS = 3;

        /** The key of this job. */
        public static String key(long uid) {
            return "partner-" + uid % KEYS;
        }

        /** As its type says. */
        public String key() {
            return key(uid);
        }
    }

    /** In a queue where each key has one place for certain, and may borrow two more while they are idle. */
    @JobType(value = "lent", queue = Lent.QUEUE, key = "key()")
    record Lent(long uid, Act act, int number) implements Work {

        public static final String QUEUE = "lent";
        public static final int MAX_RUNNING = 5;
        public static final int MAX_RUNNING_PER_KEY = 1;
        public static final int BURST_PER_KEY = 3;
        private static final int KEYS = 4;

        /** The key of this job. */
        public static String key(long uid) {
            return "tenant-" + uid % KEYS;
        }

        /** As its type says. */
        public String key() {
            return key(uid);
        }
    }

    /** In a queue whose keys are in order: the jobs of each run one after the other, also while one of them is tried again. */
    @JobType(value = "ordered", queue = Ordered.QUEUE, key = "key()")
    record Ordered(long uid, Act act, int number) implements Work {

        public static final String QUEUE = "ordered";
        private static final int KEYS = 4;

        /** The key of this job. */
        public static String key(long uid) {
            return "account-" + uid % KEYS;
        }

        /** As its type says. */
        public String key() {
            return key(uid);
        }
    }

    /** In a queue whose jobs a policy chooses. */
    @JobType(value = "chosen", queue = Chosen.QUEUE)
    record Chosen(long uid, Act act, int number) implements Work {

        public static final String QUEUE = "chosen";
    }

    /** A job of a workflow: {@link Shape} says after which others it runs. */
    @JobType(value = "linked", queue = Linked.QUEUE)
    record Linked(long uid, Act act, int number) implements Work {

        public static final String QUEUE = "linked";
    }

    /** A queue of its own, in which short and long jobs meet. */
    @JobType(value = "mixed", queue = "mixed")
    record Mixed(long uid, Act act, int number) implements Work {}

    /** One of many queues, each with a thread of its own; a type is known in any of them. */
    @JobType("plain")
    record Tiny(long uid, Act act, int number) implements Work {

        private static final int QUEUES = 24;

        /** Which queue a job of this kind is in. */
        public static String queue(long uid) {
            return "tiny.%02d".formatted(uid % QUEUES);
        }

        public static List<String> queues() {
            return LongStream.range(0, QUEUES).mapToObj(Tiny::queue).toList();
        }
    }
}
