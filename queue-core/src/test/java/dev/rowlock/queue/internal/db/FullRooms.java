package dev.rowlock.queue.internal.db;

/** Live rooms with many jobs, which come faster than through the statements of an application. */
final class FullRooms {

    private FullRooms() {}

    static void fill(Rooms rooms, int jobs, long node) {
        String row = "rank, queue, type, payload) SELECT nextval('rowlock.job_id'), statement_timestamp(),";
        rooms.execute("INSERT INTO rowlock.ready (id, ready_at, enqueued_at, " + row
                + " statement_timestamp(), 0, 'mail', 'send', '{}' FROM generate_series(1, %d)".formatted(jobs));
        rooms.execute("INSERT INTO rowlock.waiting (id, due_at, enqueued_at, reason, "
                + row.replace(
                        "statement_timestamp(),", "statement_timestamp() + i * interval '1 ms' + interval '1 day',")
                + " statement_timestamp(), 'scheduled', 0, 'mail', 'send', '{}' FROM generate_series(1, %d) i"
                        .formatted(jobs));
        rooms.execute(
                "INSERT INTO rowlock.running (id, ready_at, enqueued_at, claimed_at, token, node_id, deadline, attempt, crashes, "
                        + row
                        + " statement_timestamp(), statement_timestamp(), nextval('rowlock.claim_token'), %d,"
                                .formatted(node)
                        + " CASE WHEN i %% 2 = 0 THEN statement_timestamp() + i * interval '1 ms' + interval '1 day' END,"
                                .replace("%%", "%")
                        + " 1, 0, 0, 'mail', 'send', '{}' FROM generate_series(1, %d) i".formatted(jobs));
        rooms.execute("INSERT INTO rowlock.payload SELECT id, 2, '{}' FROM rowlock.job_details ON CONFLICT DO NOTHING");
    }
}
