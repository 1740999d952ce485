package dev.rowlock.queue.autoconfigure.endpoint;

import dev.rowlock.queue.ListenerHandle;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.operate.BulkAction;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** A part of what the endpoint shows. */
enum Section {
    /** The node of this application. */
    NODE("node", Rowlock::status),

    /** Of the whole cluster. */
    NODES("nodes", rowlock -> rowlock.search().nodes()),

    QUEUES("queues", rowlock -> rowlock.search().depths()),

    /** Of this application. */
    LISTENERS("listeners", Section::listeners),

    RECURRING_JOBS("recurringJobs", rowlock -> rowlock.recurringJobs().list()),

    PAUSES("pauses", rowlock -> rowlock.admin().pauses()),

    BULK_ACTIONS("bulkActions", rowlock -> Section.bulkActions(rowlock));

    private static final int RECENT = 20;

    private final String title;
    private final Function<Rowlock, Object> read;

    Section(String title, Function<Rowlock, Object> read) {
        this.title = title;
        this.read = read;
    }

    String title() {
        return title;
    }

    Object read(Rowlock rowlock) {
        return read.apply(rowlock);
    }

    private static List<Map<String, Object>> listeners(Rowlock rowlock) {
        return rowlock.listeners().stream()
                .map(ListenerDefinition::id)
                .map(rowlock::listener)
                .map(Section::describe)
                .toList();
    }

    private static List<Map<String, Object>> bulkActions(Rowlock rowlock) {
        return rowlock.admin().bulkActions(null, RECENT).stream()
                .map(Section::describe)
                .toList();
    }

    /** Without its filter: that may name what a payload holds. */
    static Map<String, Object> describe(BulkAction action) {
        return Map.of(
                "id", action.id(),
                "kind", action.kind(),
                "state", action.state(),
                "who", action.who(),
                "counted", action.counted(),
                "countedAll", action.countedAll(),
                "done", action.done(),
                "createdAt", action.createdAt());
    }

    private static Map<String, Object> describe(ListenerHandle listener) {
        return Map.of(
                "id", listener.id(),
                "queue", listener.queue(),
                "type", listener.type(),
                "running", listener.running());
    }
}
