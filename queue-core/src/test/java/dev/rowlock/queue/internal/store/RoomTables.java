package dev.rowlock.queue.internal.store;

import java.util.List;

/** The tables that are emptied before a test, and the partitions of one of them. */
final class RoomTables {

    private static final List<String> TABLES = List.of(
            "waiting",
            "ready",
            "running",
            "done",
            "dead",
            "payload",
            "unique_key",
            "node",
            "past_node",
            "reached",
            "pause",
            "audit",
            "bulk_action",
            "chore",
            "retention",
            "depth",
            "dropped",
            "schedule",
            "once_more",
            "workflow",
            "workflow_step",
            "workflow_edge",
            "workflow_job",
            "figure",
            "queue_limit",
            "rate_state",
            "key_weight",
            "checkpoint",
            "policy",
            "held_job",
            "admitted_job");

    private RoomTables() {}

    static void empty(Rooms rooms) {
        rooms.execute("TRUNCATE "
                + String.join(", ", TABLES.stream().map("rowlock."::concat).toList()));
    }

    static void dropDonePartitions(Rooms rooms) {
        rooms.execute("""
                DO $$
                DECLARE
                    partition text;
                BEGIN
                    FOR partition IN SELECT inhrelid::regclass::text FROM pg_inherits WHERE inhparent = 'rowlock.done'::regclass LOOP
                        EXECUTE 'DROP TABLE ' || partition;
                    END LOOP;
                END
                $$
                """);
    }
}
