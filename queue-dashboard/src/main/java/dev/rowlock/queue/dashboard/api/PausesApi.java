package dev.rowlock.queue.dashboard.api;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Call;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.call.Why;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** Pauses of queues, of types, of everything. */
final class PausesApi {

    private final JobAdmin admin;

    PausesApi(Rowlock rowlock) {
        this.admin = rowlock.admin();
    }

    /** @param name of the queue or type; null for everything */
    record Target(@Nullable String name, @Nullable String why) {}

    Object list(Call call) {
        return List.copyOf(admin.pauses());
    }

    Object pauseQueue(Call call) {
        return named(call, JobAdmin::pause);
    }

    Object resumeQueue(Call call) {
        return named(call, JobAdmin::resume);
    }

    Object pauseType(Call call) {
        return named(call, JobAdmin::pauseType);
    }

    Object resumeType(Call call) {
        return named(call, JobAdmin::resumeType);
    }

    Object pauseEverything(Call call) {
        Target target = call.read(Target.class);
        return Map.of("changed", by(call, target).pauseEverything());
    }

    Object resumeEverything(Call call) {
        Target target = call.read(Target.class);
        return Map.of("changed", by(call, target).resumeEverything());
    }

    private Object named(Call call, BiFunction<JobAdmin, String, Boolean> action) {
        Target target = call.read(Target.class);
        String name = target.name();
        if (name == null) {
            throw Problem.invalid("name is missing");
        }
        return Map.of("changed", action.apply(by(call, target), name));
    }

    private JobAdmin by(Call call, Target target) {
        return admin.by(call.user().name(), Why.of(target.why()));
    }
}
