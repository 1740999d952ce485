package dev.rowlock.queue.dashboard.live;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.dashboard.api.Figures;
import dev.rowlock.queue.dashboard.api.Json;
import dev.rowlock.queue.operate.BulkAction;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What is asked in which second, so that no second has more than two statements: queues, nodes and pauses take turns with the first one; bulk actions have the
 * second one, each second while one goes on.
 */
public final class Rounds {

    private static final int ACTIONS = 20;
    private static final int ACTIONS_EACH = 3;

    private final JobSearch search;
    private final JobAdmin admin;
    private final Map<String, String> last = new ConcurrentHashMap<>();
    private int number; // one thread at a time
    private boolean busy; // one thread at a time; whether a bulk action goes on

    public Rounds(Rowlock rowlock) {
        this.search = rowlock.search();
        this.admin = rowlock.admin();
    }

    /** What was sent last, by event: for those who have just come. */
    Map<String, String> known() {
        return Map.copyOf(last);
    }

    void forget() {
        last.clear();
        busy = false;
    }

    void run(Collection<Viewer> viewers) {
        switch (number % 3) {
            case 0 -> tell(viewers, "queues", Json.text(Figures.queues(search.depths())));
            case 1 -> tell(viewers, "nodes", Json.text(Figures.nodes(search.nodes())));
            default -> tell(viewers, "pauses", Json.text(Figures.pauses(admin.pauses())));
        }
        if (busy || number % ACTIONS_EACH == 0) {
            List<BulkAction> actions = admin.bulkActions(null, ACTIONS);
            busy = actions.stream().anyMatch(action -> action.state() == BulkAction.State.RUNNING);
            tell(viewers, "actions", Json.text(Figures.progress(actions)));
        }
        number++;
    }

    private void tell(Collection<Viewer> viewers, String event, String data) {
        if (data.equals(last.put(event, data))) {
            return;
        }
        viewers.forEach(viewer -> viewer.send(event, data));
    }
}
