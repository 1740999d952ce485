package dev.rowlock.queue.autoconfigure.endpoint;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.search.JobFilter;
import java.security.Principal;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * The actuator endpoint {@code rowlock}: shows queues, nodes, listeners, recurring jobs and pauses, never a payload or a header. It only shows,
 * unless {@code management.endpoint.rowlock.access=unrestricted} allows it to pause, resume and redrive.
 */
@Endpoint(id = "rowlock", defaultAccess = Access.READ_ONLY)
final class RowlockEndpoint {

    /** Who acts where nobody has logged in. */
    private static final String NOBODY = "actuator";

    private final Rowlock rowlock;

    RowlockEndpoint(Rowlock rowlock) {
        this.rowlock = rowlock;
    }

    /** All sections. */
    @ReadOperation
    Map<String, Object> all() {
        Map<String, Object> all = new LinkedHashMap<>();
        for (Section section : Section.values()) {
            all.put(section.title(), section.read(rowlock));
        }
        return all;
    }

    /** One section. Null: there is no such section, so the answer is 404. */
    @ReadOperation
    @Nullable
    Object section(@Selector String section) {
        return Arrays.stream(Section.values())
                .filter(known -> known.title().equals(section))
                .findAny()
                .map(known -> known.read(rowlock))
                .orElse(null);
    }

    /** Why a job is where it is. Null: there is no such job, or the first word is not {@code job}. */
    @ReadOperation
    @Nullable
    Object explain(@Selector String job, @Selector long id) {
        return job.equals("job") ? rowlock.search().explain(id).orElse(null) : null;
    }

    /**
     * Changes something, and says what came of it. Null: there is no such action.
     *
     * @param action {@code pause}, {@code resume} or {@code redrive}
     * @param queue to pause or resume it, or whose dead jobs to redrive
     * @param type the same for a type
     * @param job to redrive this dead job only
     * @param everything {@code true} to pause or resume everything
     * @param why for the audit
     */
    @WriteOperation
    @Nullable
    Object change(
            SecurityContext caller,
            @Selector String action,
            @Nullable String queue,
            @Nullable String type,
            @Nullable Long job,
            @Nullable Boolean everything,
            @Nullable String why) {
        Target target = new Target(queue, type, job, Boolean.TRUE.equals(everything));
        try {
            JobAdmin admin = rowlock.admin().by(name(caller), why);
            return switch (action.toLowerCase(Locale.ROOT)) {
                case "pause" -> Map.of("changed", target.pause(admin));
                case "resume" -> Map.of("changed", target.resume(admin));
                case "redrive" -> target.redrive(admin);
                default -> null;
            };
        } catch (IllegalArgumentException e) {
            String reason = Objects.requireNonNullElse(e.getMessage(), e.toString());
            throw new InvalidEndpointRequestException(reason, reason, e);
        }
    }

    private static String name(SecurityContext caller) {
        Principal principal = caller.getPrincipal();
        return principal == null ? NOBODY : principal.getName();
    }

    /** What is to be changed. */
    private record Target(
            @Nullable String queue,
            @Nullable String type,
            @Nullable Long job,
            boolean everything) {

        boolean pause(JobAdmin admin) {
            requireOne("pause");
            if (queue != null) {
                return admin.pause(queue);
            }
            return type != null ? admin.pauseType(type) : admin.pauseEverything();
        }

        boolean resume(JobAdmin admin) {
            requireOne("resume");
            if (queue != null) {
                return admin.resume(queue);
            }
            return type != null ? admin.resumeType(type) : admin.resumeEverything();
        }

        private void requireOne(String action) {
            int named = (queue != null ? 1 : 0) + (type != null ? 1 : 0) + (everything ? 1 : 0);
            if (named != 1 || job != null) {
                throw new IllegalArgumentException(
                        "%s needs exactly one of queue, type and everything=true".formatted(action));
            }
        }

        Object redrive(JobAdmin admin) {
            if (everything || (job == null) == (queue == null && type == null)) {
                throw new IllegalArgumentException(
                        "redrive needs either job, the id of a dead job, or the queue or type whose dead jobs are to run again");
            }
            return job != null ? Map.of("changed", admin.redrive(job)) : Shown.Bulk.of(admin.redrive(filter()));
        }

        private JobFilter filter() {
            JobFilter filter = JobFilter.where();
            if (queue != null) {
                filter = filter.queue(queue);
            }
            return type != null ? filter.type(type) : filter;
        }
    }
}
