package dev.rowlock.queue.dashboard.live;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.call.Json;
import dev.rowlock.queue.dashboard.api.view.Figures;
import dev.rowlock.queue.dashboard.api.view.Redaction;
import dev.rowlock.queue.dashboard.api.view.WorkflowViews;
import dev.rowlock.queue.operate.BulkAction;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What is asked in which second, so that no second has more than two statements: queues, nodes and pauses take turns with the first one; bulk actions have the
 * second one, each other second while one goes on; otherwise jobs that somebody looks at have it. A workflow that somebody looks
 * at has both, each other second.
 */
public final class Rounds {

    private static final int ACTIONS = 20;
    private static final int ACTIONS_EACH = 3;

    private final JobSearch search;
    private final JobAdmin admin;
    private final Map<String, String> last = new LinkedHashMap<>(); // one thread at a time
    private final Rowlock rowlock;
    private final Redaction redaction;
    private int number; // one thread at a time
    private int turn; // one thread at a time; of what concerns all
    private long lastWorkflow; // one thread at a time
    private boolean busy; // one thread at a time; whether a bulk action goes on

    public Rounds(Rowlock rowlock, Redaction redaction) {
        this.rowlock = rowlock;
        this.redaction = redaction;
        this.search = rowlock.search();
        this.admin = rowlock.admin();
    }

    /** Tells somebody who has just come what the others know. */
    void greet(Viewer viewer) {
        viewer.greet(last);
    }

    void forget() {
        last.clear();
        busy = false;
    }

    void run(Collection<Viewer> viewers) {
        number++;
        TreeSet<Long> workflows = viewers.stream()
                .map(Viewer::workflow)
                .filter(Objects::nonNull)
                .collect(Collectors.toCollection(TreeSet::new));
        if (number % 2 == 0 && !workflows.isEmpty()) {
            // Takes both statements of this second. Where viewers look at several workflows, these take turns.
            Long next = workflows.higher(lastWorkflow);
            lastWorkflow = next == null ? workflows.first() : next;
            tellOfWorkflow(viewers, lastWorkflow);
            return;
        }
        turn++;
        tellOfAll(viewers);
    }

    private void tellOfWorkflow(Collection<Viewer> viewers, long id) {
        rowlock.workflows().find(id).ifPresent(found -> {
            String data = Json.text(WorkflowViews.Whole.of(found));
            viewers.stream()
                    .filter(viewer -> Objects.equals(viewer.workflow(), id))
                    .forEach(viewer -> viewer.sendIfNew("workflow", data));
        });
    }

    private void tellOfAll(Collection<Viewer> viewers) {
        switch (turn % 3) {
            case 0 -> tell(viewers, "queues", Json.text(Figures.queues(search.depths())));
            case 1 -> tell(viewers, "nodes", Json.text(Figures.nodes(search.nodes())));
            default -> tell(viewers, "pauses", Json.text(Figures.pauses(admin.pauses())));
        }
        List<Viewer> watching =
                viewers.stream().filter(viewer -> viewer.job() != null).toList();
        boolean actionsTurn = busy ? turn % 2 == 0 || watching.isEmpty() : turn % ACTIONS_EACH == 0;
        if (actionsTurn) {
            List<BulkAction> actions = admin.bulkActions(null, ACTIONS);
            busy = actions.stream().anyMatch(action -> action.state() == BulkAction.State.RUNNING);
            tell(viewers, "actions", Json.text(Figures.progress(actions)));
        } else if (!watching.isEmpty()) {
            tellOfJobs(watching);
        }
    }

    /** All jobs that somebody looks at, in one statement. */
    private void tellOfJobs(List<Viewer> watching) {
        Set<Long> ids = new TreeSet<>();
        watching.forEach(viewer -> ids.add(Objects.requireNonNull(viewer.job())));
        Map<Long, String> found = new HashMap<>();
        search.glance(ids).forEach(job -> found.put(job.id(), Json.text(Figures.Watched.of(job, redaction))));
        for (Viewer viewer : watching) {
            String data = found.get(viewer.job());
            if (data != null) {
                viewer.sendIfNew("job", data);
            }
        }
    }

    private void tell(Collection<Viewer> viewers, String event, String data) {
        if (data.equals(last.put(event, data))) {
            return;
        }
        viewers.forEach(viewer -> viewer.send(event, data));
    }
}
