package dev.rowlock.queue.benchmark.peer.rowlock;

import dev.rowlock.queue.benchmark.peer.Ability;
import dev.rowlock.queue.benchmark.peer.KeyRule;
import dev.rowlock.queue.benchmark.peer.Peer;
import dev.rowlock.queue.benchmark.peer.Session;
import dev.rowlock.queue.benchmark.peer.Target;
import dev.rowlock.queue.settings.RetentionSettings;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Set;

/**
 * Rowlock without Spring Boot, with its default settings.
 *
 * @param name with what is particular about it
 */
public record Rowlock(String name, RetentionSettings retention) implements Peer {

    /** Done jobs are kept, as by default. */
    public static final Rowlock DEFAULT = new Rowlock("rowlock", RetentionSettings.DEFAULT);

    /** Completing a job deletes it. */
    public static final Rowlock NO_RETENTION =
            new Rowlock("rowlock-no-retention", new RetentionSettings(Duration.ZERO, null));

    @Override
    public Set<Ability> abilities() {
        Set<Ability> abilities = EnumSet.complementOf(EnumSet.of(Ability.CHILD));
        if (!retention.keepsDone()) {
            abilities.remove(Ability.RETENTION);
            abilities.remove(Ability.RECURRING); // it is measured by what is kept
        }
        return abilities;
    }

    @Override
    public int jobsPerSecond() {
        return 60_000;
    }

    @Override
    public int jobsPerSecond(KeyRule rule) {
        return rule == KeyRule.POLICY ? 5_000 : jobsPerSecond();
    }

    @Override
    public Session open(Target target) {
        return new RowlockSession(target, retention);
    }
}
