package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.Feature;
import dev.rowlock.queue.internal.chore.OwnNode;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.gate.LimitStatements;
import dev.rowlock.queue.internal.janitor.AgreeRetention;
import dev.rowlock.queue.internal.text.DurationText;
import dev.rowlock.queue.settings.RetentionSettings;
import dev.rowlock.queue.spi.Wakeups;
import java.time.Duration;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Bulk actions and audit retention on each node. */
public final class OperateFeature implements Feature {

    private final Database database;
    private final Wakeups wakeups;
    private final RetentionSettings retention;

    public OperateFeature(Database database, Wakeups wakeups, RetentionSettings retention) {
        this.database = database;
        this.wakeups = wakeups;
        this.retention = retention;
    }

    @Override
    public String name() {
        return "operations";
    }

    @Override
    public List<Chore> chores(OwnNode node) {
        return List.of(
                new BulkBatches(
                        new DoBulkBatch(database),
                        new BulkActionStatements(database),
                        new LimitStatements(database),
                        wakeups),
                new AuditRetention(
                        retention,
                        new AgreeRetention(database),
                        new TakeChore(database),
                        new AuditStatements(database)));
    }

    /** Removes old audit lines and ended bulk actions, one node for all, after the longest retention time of all nodes. */
    static final class AuditRetention implements Chore {

        private static final Logger log = LoggerFactory.getLogger(OperateFeature.class);

        private static final Duration INTERVAL = Duration.ofHours(1);
        private static final int BATCH = 1_000;

        private final RetentionSettings settings;
        private final AgreeRetention agree;
        private final TakeChore chore;
        private final AuditStatements audit;
        private boolean more;
        private boolean told;

        AuditRetention(RetentionSettings settings, AgreeRetention agree, TakeChore chore, AuditStatements audit) {
            this.settings = settings;
            this.agree = agree;
            this.chore = chore;
            this.audit = audit;
        }

        @Override
        public String name() {
            return "audit retention";
        }

        @Override
        public Duration runOnce() {
            Duration kept = agree.run(settings).audit();
            tellIfDifferent(kept);
            if (!more && !chore.run(name(), INTERVAL)) {
                return INTERVAL;
            }
            more = false; // should the next line fail
            more = chore.orGiveBack(name(), () -> audit.removeOld(kept, BATCH)) == BATCH;
            return more ? Duration.ZERO : INTERVAL;
        }

        private void tellIfDifferent(Duration kept) {
            boolean different = !kept.equals(settings.audit());
            if (different && !told) {
                log.warn(
                        "other nodes keep the audit longer than this one ({}): the longest time counts for all, {}",
                        DurationText.of(settings.audit()),
                        DurationText.of(kept));
            }
            told = different;
        }
    }
}
