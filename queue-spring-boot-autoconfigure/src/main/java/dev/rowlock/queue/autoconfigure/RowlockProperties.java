package dev.rowlock.queue.autoconfigure;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.settings.SchemaMode;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.context.properties.bind.Name;
import org.springframework.util.unit.DataSize;

/**
 * Everything that can be set about Rowlock. A value that is not allowed stops the start.
 *
 * @param enabled Whether there is a job queue at all.
 * @param defaultQueue Queue of jobs and listeners that name none.
 * @param lateAfter How long a runnable job may wait before the verdict calls its queue late; 1 s to 36500 d.
 * @param queues Settings of single queues, by name.
 */
@ConfigurationProperties("rowlock")
public record RowlockProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("default") String defaultQueue,
        @DefaultValue("5m") Duration lateAfter,
        @DefaultValue SchemaProperties schema,
        @DefaultValue Worker worker,
        @DefaultValue Retry retry,
        @DefaultValue Retention retention,
        @DefaultValue Payload payload,
        @DefaultValue Encryption encryption,
        @DefaultValue Search search,
        @DefaultValue Observations observations,
        @DefaultValue @Name("notify") Notify notifications,
        @DefaultValue Map<String, Queue> queues) {

    /**
     * Where the tables are.
     *
     * @param name Database schema that holds everything; up to 40 lower-case letters, digits or underscores.
     * @param mode Whether to make and upgrade the tables at the start (migrate), only to check them (validate), or
     *     neither (none).
     * @param url JDBC URL for making and upgrading the tables, such as one past a pooler; the DataSource's by default.
     * @param user Database user that makes and upgrades the tables; the DataSource's by default. The DataSource's user
     *     must be a member of it, or have been granted what nodes need.
     * @param password Password of that user.
     */
    public record SchemaProperties(
            @DefaultValue("rowlock") String name,
            @DefaultValue("migrate") SchemaMode mode,
            @Nullable String url,
            @Nullable String user,
            @Nullable String password) {

        public SchemaProperties {
            if (password != null && user == null) {
                throw new IllegalArgumentException(
                        "rowlock.schema.password is set without rowlock.schema.user, and would not be used");
            }
        }

        /** Without the password. */
        @Override
        public String toString() {
            return "SchemaProperties[name=%s, mode=%s, user=%s]".formatted(name, mode, user);
        }
    }

    /**
     * How this application runs jobs.
     *
     * @param enabled Whether it runs jobs; if not, it only enqueues them, whatever listeners it has.
     * @param concurrency Jobs that each queue runs at once on this node, unless its listeners or
     *     the queue's own setting say otherwise; 1 to 10000.
     * @param pollInterval How often each queue is looked at when no notification comes; 10 ms to 10 min.
     * @param prefetchHorizon Jobs are claimed ahead only as far as they will start within this time; 0 (nothing ahead)
     *     to 10 s.
     * @param maxPrefetch The most jobs per queue that are claimed ahead; 0 to 10000.
     * @param drainTimeout How long a shutdown waits for running jobs before it interrupts them; 0 to 1 h. Keep it
     *     ten seconds below spring.lifecycle.timeout-per-shutdown-phase.
     * @param lease How long after its last heartbeat this node counts as dead and others take its jobs; 1 s to 1 h, at
     *     least three heartbeats.
     * @param heartbeat Time between heartbeats; at least 50 ms.
     * @param maxCrashes A job is quarantined after its nodes have died this often while it ran; 1 to 1000.
     * @param keepAlive Whether the process keeps running as long as it runs jobs, without a web server or anything
     *     else that keeps it.
     * @param nodeName Name of this node for people; host name and process id by default.
     * @param directUrl JDBC URL that leads to the same database past a pooler such as PgBouncer. The node's heartbeat and
     *     its notifications use it, with the DataSource's user and password; by default the DataSource's URL.
     * @param autoStartup Whether listeners run jobs as soon as the application does; if not, Rowlock.listener(id) starts
     *     each. A listener's own autoStartup goes before.
     * @param queues Queues that this deployment runs jobs of: names and patterns such as mail-*; a leading ! excludes.
     * @param allowUnknownQueues Whether rowlock.queues and rowlock.worker.queues may name queues that no listener here
     *     listens to, as configuration does that several applications share; otherwise the start stops.
     * @param recurring Whether this node enqueues the jobs of recurring jobs; if not, it does not declare its own either.
     */
    public record Worker(
            @DefaultValue("true") boolean enabled,
            @DefaultValue("10") int concurrency,
            @DefaultValue("1s") Duration pollInterval,
            @DefaultValue("250ms") Duration prefetchHorizon,
            @DefaultValue("1000") int maxPrefetch,
            @DefaultValue("20s") Duration drainTimeout,
            @DefaultValue("30s") Duration lease,
            @DefaultValue("5s") Duration heartbeat,
            @DefaultValue("3") int maxCrashes,
            @DefaultValue("true") boolean keepAlive,
            @Nullable String nodeName,
            @Nullable String directUrl,
            @DefaultValue("true") boolean autoStartup,
            @DefaultValue("*") List<String> queues,
            @DefaultValue("false") boolean allowUnknownQueues,
            @DefaultValue("true") boolean recurring) {}

    /**
     * When jobs run again after a failed attempt, unless their listener or the job says otherwise.
     *
     * @param maxRetries Attempts after the first; 0 to 10000. 25 by default, or as many as give-up-after allows.
     * @param initialInterval Wait before the first retry.
     * @param multiplier Each further wait is this many times the one before; at least 1.
     * @param maxInterval Longest wait between two attempts.
     * @param jitter Share of each wait by which it is moved at random; 0 to 1.
     * @param giveUpAfter Jobs are given up where their next attempt would begin later than this after they were enqueued;
     *     never by default.
     */
    public record Retry(
            @Nullable Integer maxRetries,
            @DefaultValue("1s") Duration initialInterval,
            @DefaultValue("2.0") double multiplier,
            @DefaultValue("3h") Duration maxInterval,
            @DefaultValue("0.2") double jitter,
            @Nullable Duration giveUpAfter) {}

    /**
     * How long ended jobs are kept, and the audit.
     *
     * @param done How long completed and cancelled jobs are kept, to the day, above 100d to a hundredth of that time; 0 deletes
     *     them, which is the fastest, and keeps only those with a result, and those of workflows, for a day; at most 36500d.
     * @param dead How long dead and quarantined jobs are kept; by default until an operator decides; at most 36500d.
     * @param audit How long lines of the audit table are kept, and bulk actions since their end; 1d to 36500d.
     */
    public record Retention(
            @DefaultValue("7d") Duration done,
            @Nullable Duration dead,
            @DefaultValue("90d") Duration audit) {}

    /**
     * What jobs may carry.
     *
     * @param maxSize Largest payload of a job, and largest result of a listener, as JSON.
     */
    public record Payload(@DefaultValue("1MB") DataSize maxSize) {}

    /**
     * Encryption of what lies in the tables.
     *
     * @param keys Keys of AES-256 for payloads, results, checkpoints and errors, by their ids, each as base64 of 32 bytes. All of them decrypt.
     * @param current Id of the key that encrypts; none, to decrypt only.
     */
    public record Encryption(
            @DefaultValue Map<String, String> keys,
            @Nullable String current) {

        /** The ids of the keys only. */
        @Override
        public String toString() {
            return "Encryption[keys=%s, current=%s]".formatted(keys.keySet(), current);
        }
    }

    /**
     * How enqueues and attempts are observed.
     *
     * @param parentWithin A first attempt that is claimed within this time after its enqueue belongs to the enqueue's trace; a later
     *     one, and each further one, begins a trace of its own with a link; 0 to 1 day.
     */
    public record Observations(@DefaultValue("1m") Duration parentWithin) {}

    /**
     * How JobSearch treats the database.
     *
     * @param timeLimit How long a search may take before the database stops it; 10 ms to 25 s.
     */
    public record Search(@DefaultValue("5s") Duration timeLimit) {}

    /**
     * Wake-ups by PostgreSQL's LISTEN and NOTIFY.
     *
     * @param enabled Whether nodes wake one another; turn it off behind a pooler in transaction mode, and polling does
     *     everything.
     */
    public record Notify(@DefaultValue("true") boolean enabled) {}

    /**
     * One queue.
     *
     * @param concurrency Jobs of this queue that this node runs at once, whatever the listeners say; 1 to 10000.
     * @param timeout How long an attempt may take, for listeners and jobs that say nothing.
     * @param maxRunning Jobs of this queue that run at once over all nodes; 1 or more. Without it, as many as the nodes have threads.
     * @param maxRunningPerKey Jobs of each key of this queue that run at once over all nodes; 1 or more. Without it, there is no limit.
     * @param burstPerKey Jobs of each key of this queue that run at once while no other key that is below max-running-per-key has
     *     jobs for the places; more than that. Without it, max-running-per-key holds always.
     * @param rate Jobs of this queue that begin in a time, over all nodes, such as '10/s' or '100/min burst 20'. Without it, there is no limit.
     * @param ratePerKey Jobs of each key of this queue that begin in a time, over all nodes. Without it, there is no limit.
     * @param inOrder Jobs of a key run one after the other, in the order of their enqueues; when one is dead, the others:
     *     hold, continue or cancel-rest. Without it, they run in no strict order.
     * @param lateAfter How long a job of this queue that may run may wait before the verdict calls the queue late, such as 2d for what may
     *     run at night; as rowlock.late-after without it.
     * @param retry When jobs run again after a failed attempt, for listeners and jobs that say nothing.
     */
    public record Queue(
            @Nullable Integer concurrency,
            @Nullable Duration timeout,
            @Nullable Integer maxRunning,
            @Nullable Integer maxRunningPerKey,
            @Nullable Integer burstPerKey,
            @Nullable Rate rate,
            @Nullable Rate ratePerKey,
            @Nullable AfterFailure inOrder,
            @Nullable Duration lateAfter,
            @DefaultValue QueueRetry retry) {}

    /**
     * When jobs of one queue run again after a failed attempt, unless their listener or the job says otherwise. What is left out is as for
     * all queues.
     *
     * @param maxRetries Attempts after the first; 0 to 10000.
     * @param initialInterval Wait before the first retry.
     * @param multiplier Each further wait is this many times the one before; at least 1.
     * @param maxInterval Longest wait between two attempts.
     * @param jitter Share of each wait by which it is moved at random; 0 to 1.
     * @param giveUpAfter How long after its enqueue a job is tried.
     */
    public record QueueRetry(
            @Nullable Integer maxRetries,
            @Nullable Duration initialInterval,
            @Nullable Double multiplier,
            @Nullable Duration maxInterval,
            @Nullable Double jitter,
            @Nullable Duration giveUpAfter) {}
}
