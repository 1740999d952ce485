package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.call.Why;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.FullKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Limits, rates and the order of keys. */
final class GatesApi {

    private static final int SHOWN = 100;
    private static final Set<String> ONE = Set.of("queue");

    private final QueueLimits limits;

    GatesApi(Rowlock rowlock) {
        this.limits = rowlock.limits();
    }

    record Limit(
            String queue,
            @Nullable Integer maxRunning,
            @Nullable Integer maxRunningPerKey,
            @Nullable Integer burstPerKey,
            @Nullable String rate,
            @Nullable String ratePerKey,
            @Nullable String inOrder) {

        static Limit of(QueueLimit limit) {
            AfterFailure order = limit.inOrder();
            return new Limit(
                    limit.queue(),
                    limit.maxRunning(),
                    limit.maxRunningPerKey(),
                    limit.burstPerKey(),
                    rate(limit.rate()),
                    rate(limit.ratePerKey()),
                    order == null ? null : order.label());
        }

        private static @Nullable String rate(@Nullable Rate rate) {
            return rate == null ? null : rate.toString();
        }
    }

    record Blocked(String key, String job, String state, Instant at, long jobs) {

        static Blocked of(BlockedKey key) {
            return new Blocked(
                    key.key(), Long.toString(key.jobId()), key.state().label(), key.at(), key.jobs());
        }
    }

    Object list(Call call) {
        return limits.all().stream().map(Limit::of).toList();
    }

    record Full(String key, long running, int limit, long ready) {

        static Full of(FullKey key) {
            return new Full(key.key(), key.running(), key.limit(), key.ready());
        }
    }

    record Weighted(String key, int weight) {}

    /**
     * @param blocked up to 100, by key
     * @param full up to 100, those with the most jobs that wait first
     * @param weights up to 100, the highest first
     */
    record Keys(List<Blocked> blocked, List<Full> full, List<Weighted> weights) {}

    Keys keys(Call call) {
        String queue = call.knowing(ONE).query().get("queue");
        if (queue == null) {
            throw Problem.invalid("queue is missing");
        }
        return new Keys(
                limits.blockedKeys(queue, SHOWN).stream().map(Blocked::of).toList(),
                limits.fullKeys(queue, SHOWN).stream().map(Full::of).toList(),
                limits.weights(queue, SHOWN).entrySet().stream()
                        .map(key -> new Weighted(key.getKey(), key.getValue()))
                        .toList());
    }

    record SetLimit(
            String queue,
            @Nullable Integer maxRunning,
            @Nullable Integer maxRunningPerKey,
            @Nullable Integer burstPerKey,
            @Nullable String rate,
            @Nullable String ratePerKey,
            @Nullable String inOrder,
            @Nullable String why) {}

    Object set(Call call) {
        SetLimit wanted = call.read(SetLimit.class);
        by(call, wanted.why())
                .set(new QueueLimit(
                        named(wanted.queue()),
                        wanted.maxRunning(),
                        wanted.maxRunningPerKey(),
                        wanted.burstPerKey(),
                        rate(wanted.rate()),
                        rate(wanted.ratePerKey()),
                        wanted.inOrder() == null ? null : AfterFailure.of(wanted.inOrder())));
        return Map.of("changed", true);
    }

    private static @Nullable Rate rate(@Nullable String text) {
        return text == null || text.isBlank() ? null : Rate.valueOf(text);
    }

    record Remove(String queue, @Nullable String why) {}

    Object remove(Call call) {
        Remove wanted = call.read(Remove.class);
        return Map.of("changed", by(call, wanted.why()).remove(named(wanted.queue())));
    }

    record Weight(
            String queue, String key, int weight, @Nullable String why) {}

    Object weight(Call call) {
        Weight wanted = call.read(Weight.class);
        by(call, wanted.why()).weight(named(wanted.queue()), named(wanted.key()), wanted.weight());
        return Map.of("changed", true);
    }

    record SlowDown(
            String queue,
            @Nullable String key,
            long seconds,
            @Nullable String why) {}

    Object slowDown(Call call) {
        SlowDown wanted = call.read(SlowDown.class);
        boolean changed = by(call, wanted.why())
                .slowDown(named(wanted.queue()), wanted.key(), Duration.ofSeconds(wanted.seconds()));
        if (!changed) {
            throw new Problem(409, "queue '%s' has no rate that could be slowed down".formatted(wanted.queue()));
        }
        return Map.of("changed", true);
    }

    record Skip(String queue, String key, @Nullable String why) {}

    record Skipped(int jobs) {}

    Skipped skip(Call call) {
        Skip wanted = call.read(Skip.class);
        int jobs = by(call, wanted.why()).skip(named(wanted.queue()), named(wanted.key()));
        if (jobs == 0) {
            throw new Problem(
                    409,
                    "no dead job holds up key '%s' of queue '%s'; a job that waits for its next attempt is not skipped, but can be cancelled"
                            .formatted(wanted.key(), wanted.queue()));
        }
        return new Skipped(jobs);
    }

    private static String named(@Nullable String name) {
        if (name == null) {
            throw Problem.invalid("a queue and, of a weight or a key to skip, a key must be named");
        }
        return name;
    }

    private QueueLimits by(Call call, @Nullable String why) {
        return limits.by(call.user().name(), Why.of(why));
    }
}
