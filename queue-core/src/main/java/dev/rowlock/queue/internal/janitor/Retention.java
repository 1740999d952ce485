package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.internal.janitor.AgreeRetention.Agreed;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.internal.thread.ClockWatch;
import dev.rowlock.queue.settings.RetentionSettings;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drops ended jobs after the longest retention time of all nodes. A server's clock that was set forward by days makes everything look old: then retention drops nothing for a day, so that an operator can correct it, and a node whose own clock differs drops nothing either.
 */
public final class Retention implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final Duration DAY = Duration.ofDays(1);
    private static final int BATCH = 1_000;

    /** Other chores wait; the rest is discarded the next time. */
    private static final int BATCHES = 20;

    private static final Duration UNTIL_THE_REST = Duration.ofSeconds(10);

    private final RetentionSettings settings;
    private final TakeChore chore;
    private final AgreeRetention agree;
    private final DropDonePartitions dropPartitions;
    private final JobStatements jobs;
    private final Clock clock;
    private final ClockWatch steps = new ClockWatch();
    private boolean told; // that others want something else
    private boolean toldClocks; // that they differ
    private final Set<String> staying =
            new HashSet<>(); // partitions that cannot be dropped, and of which the log knows

    public Retention(
            RetentionSettings settings,
            TakeChore chore,
            AgreeRetention agree,
            DropDonePartitions dropPartitions,
            JobStatements jobs,
            Clock clock) {
        this.settings = settings;
        this.chore = chore;
        this.agree = agree;
        this.dropPartitions = dropPartitions;
        this.jobs = jobs;
        this.clock = clock;
    }

    @Override
    public String name() {
        return "retention";
    }

    @Override
    public Duration runOnce() {
        Agreed agreed = agree.run(settings);
        tellIfDifferent(agreed);
        if (steps.steppedBy(agreed.now(), System.nanoTime()).compareTo(DAY) >= 0) {
            chore.keep(name(), DAY);
            log.warn("the database's clock was set forward to {}: retention drops nothing for a day", agreed.now());
            return INTERVAL;
        }
        return clocksDiffer(agreed.now())
                ? INTERVAL
                : chore.ifDue(name(), INTERVAL, () -> remove(agreed) ? INTERVAL : UNTIL_THE_REST);
    }

    /** Returns whether all that is too old is gone. */
    private boolean remove(Agreed agreed) {
        boolean allDiscarded;
        try {
            dropDone(agreed);
        } finally {
            allDiscarded = discardDead(agreed); // whatever keeps the done ones
        }
        return allDiscarded;
    }

    /** One of them is wrong, nobody knows which. Other nodes may know better. */
    private boolean clocksDiffer(Instant server) {
        Duration ahead = Duration.between(clock.instant(), server);
        boolean differ = ahead.abs().compareTo(DAY) >= 0;
        if (differ && !toldClocks) {
            log.warn(
                    "the database's clock says {}, that of this machine {}: as long as they differ by a day or more, this node's retention drops nothing",
                    server,
                    clock.instant());
        }
        toldClocks = differ;
        return differ;
    }

    private void tellIfDifferent(Agreed agreed) {
        boolean different = !agreed.done().equals(settings.done()) || !Objects.equals(agreed.dead(), settings.dead());
        if (different && !told) {
            log.warn(
                    "other nodes keep ended jobs longer than this one (done {}, dead {}): the longest time counts for all, done {}, dead {}{}",
                    settings.done(),
                    inWords(settings.dead()),
                    agreed.done(),
                    inWords(agreed.dead()),
                    settings.keepsDone()
                            ? ""
                            : "; but jobs that this node completes are not kept, unless they have a result or belong to a workflow");
        }
        told = different;
    }

    private static Object inWords(@Nullable Duration time) {
        return time == null ? "for ever" : time;
    }

    /** Where done jobs are not kept, some still are (see OutcomeStatements), and cancelled ones: they go after a day. */
    private void dropDone(Agreed agreed) {
        List<String> dropped = dropPartitions.run(agreed.done().isZero() ? DAY : agreed.done(), this::tellOfStaying);
        if (!dropped.isEmpty()) {
            log.info("retention dropped {}", dropped);
        }
    }

    private void tellOfStaying(String partition, Exception why) {
        if (staying.add(partition)) {
            log.warn(
                    "retention cannot drop rowlock.{}: it stays until whatever needs it is gone, and is tried again each {}. Other days are dropped",
                    partition,
                    DurationText.of(INTERVAL),
                    why);
        }
    }

    /** Returns whether all dead jobs that are too old are gone. */
    private boolean discardDead(Agreed agreed) {
        if (agreed.dead() == null) {
            return true;
        }
        int discarded = 0;
        int last = BATCH;
        for (int batch = 0; batch < BATCHES && last == BATCH; batch++) {
            last = jobs.discardOlderThan(agreed.dead(), BATCH);
            discarded += last;
        }
        if (discarded > 0) {
            log.info("retention discarded {} dead jobs older than {}", discarded, agreed.dead());
        }
        return last < BATCH;
    }
}
