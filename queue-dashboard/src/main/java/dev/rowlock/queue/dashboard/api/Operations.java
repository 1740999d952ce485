package dev.rowlock.queue.dashboard.api;

import static dev.rowlock.queue.dashboard.access.AccessLevel.ADMIN;
import static dev.rowlock.queue.dashboard.access.AccessLevel.OPERATOR;
import static dev.rowlock.queue.dashboard.access.AccessLevel.READ_ONLY;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.PayloadRedaction;
import dev.rowlock.queue.dashboard.api.Operation.Action;
import dev.rowlock.queue.dashboard.api.Operation.Method;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.dashboard.api.view.TraceLink;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The table of all operations, with the level that each of them needs. What is not in it does not exist. */
public final class Operations {

    private final List<Operation> all;
    private final boolean redacts;

    /**
     * @param traceLink an address with {@code {traceId}} in it; null: there is none
     * @param redaction null: payloads are shown as they are
     */
    public Operations(Rowlock rowlock, Brand brand, @Nullable String traceLink, @Nullable PayloadRedaction redaction) {
        Redaction shown = new Redaction(redaction);
        ClusterApi cluster = new ClusterApi(rowlock, brand, shown);
        NodesApi nodes = new NodesApi(rowlock.search(), shown);
        JobsApi jobs = new JobsApi(rowlock, new TraceLink(traceLink), shown);
        ErrorsApi errors = new ErrorsApi(rowlock, shown);
        BulkApi bulk = new BulkApi(rowlock, shown);
        PausesApi pauses = new PausesApi(rowlock);
        SchedulesApi schedules = new SchedulesApi(rowlock);
        GatesApi gates = new GatesApi(rowlock);
        WorkflowsApi workflows = new WorkflowsApi(rowlock);
        this.redacts = redaction != null;
        this.all = List.of(
                get("me", READ_ONLY, cluster::me),
                get("overview", READ_ONLY, cluster::overview),
                get("verdict", READ_ONLY, cluster::verdict),
                get("throughput", READ_ONLY, cluster::throughput),
                get("nodes", READ_ONLY, nodes::list),
                get("nodes/{id}", READ_ONLY, nodes::one),
                get("doctor", READ_ONLY, cluster::doctor),
                post("doctor", OPERATOR, cluster::examine),
                get("audit", READ_ONLY, cluster::audit),
                // Single jobs
                get("jobs", READ_ONLY, jobs::list),
                get("jobs/count", READ_ONLY, jobs::count),
                get("jobs/{id}", READ_ONLY, jobs::job),
                get("jobs/{id}/audit", READ_ONLY, cluster::auditOfJob),
                get("jobs/{id}/log", READ_ONLY, jobs::log),
                post("jobs/cancel", OPERATOR, jobs::cancel),
                post("jobs/run-now", OPERATOR, jobs::runNow),
                post("jobs/reschedule", OPERATOR, jobs::reschedule),
                post("jobs/priority", OPERATOR, jobs::priority),
                post("jobs/redrive", OPERATOR, jobs::redrive),
                post("jobs/discard", ADMIN, jobs::discard),
                post("jobs/payload", ADMIN, jobs::editPayload),
                // Many jobs
                get("errors", READ_ONLY, errors::dead),
                get("errors/retrying", READ_ONLY, errors::retrying),
                get("actions", READ_ONLY, bulk::list),
                get("actions/{id}", READ_ONLY, bulk::one),
                post("actions/count", OPERATOR, bulk::count),
                post("actions/redrive", OPERATOR, bulk::redrive),
                post("actions/cancel", OPERATOR, bulk::cancel),
                post("actions/discard", ADMIN, bulk::discard),
                post("actions/{id}/stop", OPERATOR, bulk::stop),
                // Pauses
                get("pauses", READ_ONLY, pauses::list),
                post("queues/pause", OPERATOR, pauses::pauseQueue),
                post("queues/resume", OPERATOR, pauses::resumeQueue),
                post("types/pause", OPERATOR, pauses::pauseType),
                post("types/resume", OPERATOR, pauses::resumeType),
                post("everything/pause", ADMIN, pauses::pauseEverything),
                post("everything/resume", ADMIN, pauses::resumeEverything),
                // Recurring jobs
                get("schedules", READ_ONLY, schedules::list),
                post("schedules/run", OPERATOR, schedules::runNow),
                post("schedules/pause", OPERATOR, schedules::pause),
                post("schedules/resume", OPERATOR, schedules::resume),
                post("schedules/delete", ADMIN, schedules::delete),
                // Workflows and batches
                get("workflows", READ_ONLY, workflows::list),
                get("workflows/{id}", READ_ONLY, workflows::one),
                get("workflows/{id}/jobs", READ_ONLY, workflows::jobs),
                post("workflows/{id}/cancel", OPERATOR, workflows::cancel),
                // Limits, rates, order
                get("gates", READ_ONLY, gates::list),
                get("gates/keys", READ_ONLY, gates::keys),
                post("gates/set", ADMIN, gates::set),
                post("gates/remove", ADMIN, gates::remove),
                post("gates/weight", ADMIN, gates::weight),
                post("gates/slow-down", OPERATOR, gates::slowDown),
                post("gates/skip", OPERATOR, gates::skip));
    }

    /** Whether somebody of this level, who sees payloads, may search in them as well. */
    public boolean searchable(AccessLevel level) {
        return !redacts || level == ADMIN;
    }

    public List<Operation> all() {
        return all;
    }

    /** The operation that is called so; a {@link Problem} of status 404 or 405 if there is none. */
    public Operation find(Method method, String path) {
        boolean known = false;
        for (Operation operation : all) {
            if (operation.match(path) >= 0) {
                if (operation.method() == method) {
                    return operation;
                }
                known = true;
            }
        }
        throw known
                ? new Problem(405, "that is not how this is called")
                : new Problem(404, "there is no such operation");
    }

    private static Operation get(String path, AccessLevel level, Action action) {
        return new Operation(Method.GET, path, level, action);
    }

    private static Operation post(String path, AccessLevel level, Action action) {
        return new Operation(Method.POST, path, level, action);
    }
}
