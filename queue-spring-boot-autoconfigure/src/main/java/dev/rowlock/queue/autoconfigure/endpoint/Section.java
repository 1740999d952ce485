package dev.rowlock.queue.autoconfigure.endpoint;

import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.spi.ListenerDefinition;
import java.util.function.Function;

/** A part of what the endpoint shows. */
enum Section {
    /** Of the whole cluster, in one word. */
    VERDICT("verdict", rowlock -> rowlock.doctor().verdict()),

    /** The node of this application. */
    NODE("node", Rowlock::status),

    /** Of the whole cluster. */
    NODES(
            "nodes",
            rowlock -> rowlock.search().nodes().stream().map(Shown.Node::of).toList()),

    QUEUES("queues", rowlock -> rowlock.search().depths()),

    /** Of this application. */
    LISTENERS(
            "listeners",
            rowlock -> rowlock.listeners().stream()
                    .map(ListenerDefinition::id)
                    .map(rowlock::listener)
                    .map(Shown.Listener::of)
                    .toList()),

    RECURRING_JOBS(
            "recurringJobs",
            rowlock -> rowlock.recurringJobs().list().stream()
                    .map(Shown.RecurringJob::of)
                    .toList()),

    LIMITS("limits", rowlock -> rowlock.limits().all()),

    PAUSES("pauses", rowlock -> rowlock.admin().pauses()),

    /** Those that were asked for last. */
    BULK_ACTIONS(
            "bulkActions",
            rowlock -> rowlock.admin().bulkActions(null, Section.RECENT).stream()
                    .map(Shown.Bulk::of)
                    .toList());

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
}
