package dev.rowlock.queue.chaos.load;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.chaos.load.Work.Draft;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Requests under few keys, which postpone the job that is there or ask for one further run. Each has a higher number than the last one
 * with its key. One thread asks, others may look.
 */
public final class Drafts {

    private static final Logger log = LoggerFactory.getLogger(Drafts.class);

    private static final int KEYS = 6;

    /** So many numbers a key has room for. */
    private static final long ROOM = 1_000_000_000;

    /**
     * The last request with a key that was answered.
     *
     * @param number 0: none was
     */
    public record Word(int key, int number) {

        /** The word that a payload carries, by its uid, which is negative; other jobs have none. */
        public static Word of(long uid) {
            return new Word((int) (-uid / ROOM), (int) (-uid % ROOM));
        }

        /** The uid of a payload that carries this word. */
        public long uid() {
            return -(key * ROOM + number);
        }
    }

    private final JobTemplate jobs;
    private final int[] asked = new int[KEYS];
    private final AtomicIntegerArray answered = new AtomicIntegerArray(KEYS);

    Drafts(JobTemplate jobs) {
        this.jobs = jobs;
    }

    /** The last words that were answered. */
    public List<Word> words() {
        return IntStream.range(0, KEYS)
                .mapToObj(key -> new Word(key + 1, answered.get(key)))
                .toList();
    }

    /** Asks once. */
    void next(Random random) {
        int key = random.nextInt(KEYS);
        Word word = new Word(key + 1, ++asked[key]);
        try {
            jobs.enqueueUnique(
                    new Draft(word.uid(), Act.SLEEP, random.nextInt(400)),
                    key(word.key()),
                    options(word.key(), random));
            answered.set(key, word.number());
        } catch (RuntimeException e) {
            log.debug("nobody knows whether {} was heard", word, e);
        }
    }

    /** Each kind of request that changes a job has two keys. */
    private static UniqueKey key(int key) {
        UniqueKey plain = UniqueKey.of("draft-" + key);
        return switch (key % 3) {
            case 0 -> plain.untilStarted().replacing();
            case 1 -> plain.postponing(Duration.ofSeconds(5));
            default -> plain.onceMore();
        };
    }

    private static JobOptions options(int key, Random random) {
        return key % 3 == 1 ? JobOptions.NONE.delay(Duration.ofMillis(1 + random.nextInt(1_000))) : JobOptions.NONE;
    }
}
