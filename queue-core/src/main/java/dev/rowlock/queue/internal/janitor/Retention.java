package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.store.DiscardDeadJobs;
import dev.rowlock.queue.internal.store.DropDonePartitions;
import dev.rowlock.queue.internal.store.EnsureDonePartitions;
import dev.rowlock.queue.internal.store.TakeChore;
import dev.rowlock.queue.spi.RetentionSettings;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the coming days' partitions of done, and drops what is too old. */
final class Retention implements Chore {

    private static final Logger log = LoggerFactory.getLogger(Retention.class);

    private static final Duration INTERVAL = Duration.ofMinutes(10);
    private static final int DAYS_AHEAD = 7;
    private static final int BATCH = 1_000;

    private final RetentionSettings settings;
    private final TakeChore chore;
    private final EnsureDonePartitions ensurePartitions;
    private final DropDonePartitions dropPartitions;
    private final DiscardDeadJobs discardDead;

    Retention(
            RetentionSettings settings,
            TakeChore chore,
            EnsureDonePartitions ensurePartitions,
            DropDonePartitions dropPartitions,
            DiscardDeadJobs discardDead) {
        this.settings = settings;
        this.chore = chore;
        this.ensurePartitions = ensurePartitions;
        this.dropPartitions = dropPartitions;
        this.discardDead = discardDead;
    }

    @Override
    public String name() {
        return "retention";
    }

    @Override
    public Duration runOnce() {
        if (chore.run(name(), INTERVAL)) {
            ensurePartitions.run(DAYS_AHEAD);
            dropDone();
            discardDead();
        }
        return INTERVAL;
    }

    /** Where done jobs are not kept, cancelled ones may still be there: they go after a day. */
    private void dropDone() {
        List<String> dropped = dropPartitions.run(settings.keepsDone() ? settings.done() : Duration.ofDays(1));
        if (!dropped.isEmpty()) {
            log.info("retention dropped {}", dropped);
        }
    }

    private void discardDead() {
        if (settings.dead() == null) {
            return;
        }
        int discarded;
        do {
            discarded = discardDead.olderThan(settings.dead(), BATCH);
            if (discarded > 0) {
                log.info("retention discarded {} dead jobs older than {}", discarded, settings.dead());
            }
        } while (discarded == BATCH);
    }
}
