package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.Optional;

/** Checkpoints that handlers save for the next attempt of their jobs, as JSON of limited size. */
public final class Checkpoints {

    /** Each save writes all of it. */
    static final int MAX_BYTES = 64 * 1024;

    // Until the end of the transaction, the lock keeps everybody from taking the claim away. So what commits is the
    // owner's, and the next attempt cannot have looked before. It lets others ask to cancel, and write progress.
    private static final String SAVE = """
            WITH held AS (
                SELECT id, token FROM rowlock.running WHERE id = :job AND token = :token FOR KEY SHARE
            )
            INSERT INTO rowlock.checkpoint (job_id, token, saved_at, data)
            SELECT id, token, clock_timestamp(), :json::json FROM held
            ON CONFLICT (job_id) DO UPDATE SET token = excluded.token, saved_at = excluded.saved_at, data = excluded.data
            """;

    private static final String LOAD = """
            SELECT c.data
              FROM rowlock.running r LEFT JOIN rowlock.checkpoint c ON c.job_id = r.id
             WHERE r.id = :job AND r.token = :token
            """;

    private final Database database;
    private final PayloadCodec codec;

    public Checkpoints(Database database, PayloadCodec codec) {
        this.database = database;
        this.codec = codec;
    }

    /**
     * Notes where the handler of a claimed job is, in place of what was noted before; in the caller's transaction if there is one. Returns whether the
     * claim was still held. If not, the transaction must roll back.
     */
    public boolean save(Claim claim, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "the checkpoint is null: there is no way to remove one; save a value that says so");
        }
        TransactionStanding standing = database.requireWritable("saveCheckpoint");
        String json = codec.encode(value);
        codec.checkReadable(json, value.getClass());
        if (!Results.fits(json, MAX_BYTES)) {
            throw new IllegalArgumentException(
                    "a checkpoint of %d bytes as JSON is too large: %d are allowed. Store the data in a table of your own and save where it is"
                            .formatted(json.getBytes(StandardCharsets.UTF_8).length, MAX_BYTES));
        }
        return database.joinedAtomically(
                standing,
                connection -> on(connection, SAVE, claim).set("json", json).update() == 1);
    }

    /** Empty if the claim was lost; otherwise the checkpoint, if there is one. */
    <T> Optional<Optional<T>> load(Claim claim, Class<T> type) {
        return database.joined(
                        connection -> on(connection, LOAD, claim).first(row -> Optional.ofNullable(row.getString(1))))
                .map(found -> found.map(json -> type.cast(codec.decode(json, type))));
    }

    private ColdStatement on(Connection connection, String sql, Claim claim) {
        return ColdStatement.on(connection, database.sql(sql))
                .set("job", claim.jobId())
                .set("token", claim.token());
    }
}
