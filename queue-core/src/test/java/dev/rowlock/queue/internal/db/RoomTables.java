package dev.rowlock.queue.internal.db;

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

    /** Only those that hold something, or did: new files for all of them take ten times as long. */
    static void empty(Rooms rooms) {
        List<String> used = rooms.sql("""
                        SELECT name FROM unnest(string_to_array(?, ',')) AS name
                         WHERE EXISTS (SELECT FROM (SELECT name::regclass::oid UNION SELECT relid FROM pg_partition_tree(name::regclass)) AS part (oid)
                                         JOIN pg_class USING (oid)
                                        WHERE pg_relation_size(oid) > 0 OR relpages > 0 OR reltuples >= 0)
                        """)
                .param(String.join(
                        ",",
                        TABLES.stream()
                                .map("rowlock."::concat)
                                .map(rooms.database()::sql)
                                .toList()))
                .query(String.class)
                .list();
        if (!used.isEmpty()) {
            rooms.execute("TRUNCATE " + String.join(", ", used));
        }
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
