package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.ColdStatement;
import dev.rowlock.queue.internal.db.Columns;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Encryption.Part;
import dev.rowlock.queue.internal.db.ErrorHistory;
import dev.rowlock.queue.internal.db.IndexPlan;
import dev.rowlock.queue.internal.db.TimeLimit;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.db.UncachedPlan;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.job.FailedAttempt;
import dev.rowlock.queue.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What a node reads and notes of a job that it has claimed, before and while its handler runs. Each statement names the claim's token. */
public final class ClaimStatements {

    /** Each save writes all of it. */
    private static final int MOST_CHECKPOINT_BYTES = 64 * 1024;

    private static final String PAYLOAD = """
            SELECT coalesce(r.payload, (SELECT p.payload FROM rowlock.payload p WHERE p.job_id = r.id))
              FROM rowlock.running r
             WHERE r.id = ? AND r.token = ?
            """;

    private static final String ERRORS = "SELECT errors FROM rowlock.running WHERE id = :job AND token = :token";

    private static final String ISOLATE = """
            UPDATE rowlock.running r SET isolated = (r.token = :token)
              FROM unnest(:jobs::bigint[], :tokens::bigint[]) AS o (id, token)
             WHERE r.id = o.id AND r.token = o.token
            RETURNING r.token
            """;

    private static final String PROGRESS =
            "UPDATE rowlock.running SET progress = :percent, progress_note = :note WHERE id = :job AND token = :token";

    private static final String EXTEND = """
            UPDATE rowlock.running SET deadline = statement_timestamp() + :millis * interval '1 ms'
             WHERE id = :job AND token = :token
            RETURNING deadline
            """;

    private static final String EXTEND_ALL = IndexPlan.OUTCOMES_PREFIX + """
            WITH extended AS MATERIALIZED (
                SELECT * FROM unnest(?::bigint[], ?::bigint[]) AS o (id, token)
            )
            UPDATE rowlock.running r SET deadline = statement_timestamp() + ? * interval '1 ms'
              FROM extended o
             WHERE r.id = ANY (ARRAY(SELECT id FROM extended)) AND r.id = o.id AND r.token = o.token
            RETURNING r.token
            """;

    // Until the end of the transaction, the lock keeps everybody from taking the claim away. So what commits is the
    // owner's, and the next attempt cannot have looked before. It lets others ask to cancel, and write progress.
    private static final String SAVE_CHECKPOINT = """
            WITH held AS (
                SELECT id, token FROM rowlock.running WHERE id = :job AND token = :token FOR KEY SHARE
            )
            INSERT INTO rowlock.checkpoint (job_id, token, saved_at, data)
            SELECT id, token, clock_timestamp(), :json::json FROM held
            ON CONFLICT (job_id) DO UPDATE SET token = excluded.token, saved_at = excluded.saved_at, data = excluded.data
            """;

    /** Reads the checkpoint of a claimed job, if the token still holds. */
    private static final String CHECKPOINT = """
            SELECT c.data
              FROM rowlock.running r LEFT JOIN rowlock.checkpoint c ON c.job_id = r.id
             WHERE r.id = :job AND r.token = :token
            """;

    private final Database database;

    /** Reads the payload of a claimed job that was too large to come with its claim, if the token still holds. */
    private final String payload;

    private final String extendAll;

    public ClaimStatements(Database database) {
        this.database = database;
        this.payload = database.sql(PAYLOAD);
        this.extendAll = database.sql(EXTEND_ALL);
    }

    /** Reads a payload that was too large to come with its claim. Returns the JSON; empty if the claim was lost. */
    public Optional<String> payload(Claim claim) {
        return database.atOnce(connection -> {
            try (PreparedStatement statement =
                    UncachedPlan.prepare(connection, TimeLimit.before(connection, payload))) {
                statement.setLong(1, claim.jobId());
                statement.setLong(2, claim.token());
                try (ResultSet rows = TimeLimit.query(statement)) {
                    return rows.next() ? Optional.of(required(rows.getString(1), claim)) : Optional.empty();
                }
            }
        });
    }

    /** No failure of the database's: it would be as missing the next time. */
    private static String required(@Nullable String payload, Claim claim) {
        if (payload == null) {
            throw new IllegalStateException(
                    "job %d has a payload neither in running nor in payload: was one deleted by hand?"
                            .formatted(claim.jobId()));
        }
        return payload;
    }

    /** Reads the error history, the oldest first; empty if the claim was lost. */
    public Optional<List<FailedAttempt>> errors(Claim claim) {
        ErrorHistory history = new ErrorHistory(database.encryption());
        return database.alone(connection ->
                cold(connection, ERRORS, claim).first(row -> history.decode(claim.jobId(), row.getString(1))));
    }

    /**
     * Notes that a job on its last life is started now: if its node dies, this one job of the node's suspects is to blame. Returns whether the claim
     * was still held.
     *
     * @param cleared claims of this node that were to blame until now, and are not any more
     */
    public boolean isolate(Claim claim, List<Claim> cleared) {
        List<Claim> claims = new ArrayList<>(cleared);
        claims.add(claim);
        return database.alone(connection -> cold(connection, ISOLATE, claim)
                .set("jobs", Columns.longs(claims, Claim::jobId))
                .set("tokens", Columns.longs(claims, Claim::token))
                .list(row -> row.getLong(1))
                .contains(claim.token()));
    }

    /** Notes how far the handler of a claimed job is. Returns whether the claim was still held. */
    public boolean progress(Claim claim, int percent, @Nullable String note) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            return cold(connection, PROGRESS, claim)
                            .set("percent", percent)
                            .set("note", note)
                            .update()
                    == 1;
        });
    }

    /** Moves the deadline of a claimed job. Returns the new one on the database's clock; empty if the claim was lost. */
    public Optional<Instant> extend(Claim claim, Duration fromNow) {
        return database.alone(connection -> {
            database.numbering().check(connection);
            return cold(connection, EXTEND, claim)
                    .set("millis", fromNow.toMillis())
                    .first(row -> row.getObject(1, OffsetDateTime.class).toInstant());
        });
    }

    /**
     * Moves the deadlines of the jobs of a chunk whose listener is called once more. Returns the tokens that were still held; the others' claims were
     * lost.
     */
    public Set<Long> extendAll(List<Claim> claims, Duration fromNow) {
        return database.atOnce(connection -> {
            database.numbering().check(connection);
            return Set.copyOf(IndexPlan.list(
                    connection,
                    extendAll,
                    row -> row.getLong(1),
                    Columns.longs(claims, Claim::jobId),
                    Columns.longs(claims, Claim::token),
                    fromNow.toMillis()));
        });
    }

    /**
     * Notes where the handler of a claimed job is, in place of what was noted before; in the caller's transaction if there is one. Returns whether the
     * claim was still held. If not, the transaction must roll back.
     */
    public boolean saveCheckpoint(Claim claim, Object value, PayloadCodec codec) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "the checkpoint is null: there is no way to remove one; save a value that says so");
        }
        TransactionStanding standing = database.requireWritable("saveCheckpoint");
        String json = codec.encode(value);
        codec.checkReadable(json, value.getClass());
        if (!Results.fits(json, MOST_CHECKPOINT_BYTES)) {
            throw new IllegalArgumentException(
                    "a checkpoint of %d bytes as JSON is too large: %d are allowed. Store the data in a table of your own and save where it is"
                            .formatted(json.getBytes(StandardCharsets.UTF_8).length, MOST_CHECKPOINT_BYTES));
        }
        String stored = database.encryption().seal(Part.CHECKPOINT, claim.jobId(), json);
        return database.joinedAtomically(
                standing,
                connection -> cold(connection, SAVE_CHECKPOINT, claim)
                                .set("json", stored)
                                .update()
                        == 1);
    }

    /** Empty if the claim was lost; otherwise the checkpoint, if there is one. */
    <T> Optional<Optional<T>> checkpoint(Claim claim, Class<T> type, PayloadCodec codec) {
        return database.joined(connection ->
                        cold(connection, CHECKPOINT, claim).first(row -> Optional.ofNullable(row.getString(1))))
                .map(found -> found.map(json -> database.encryption().open(Part.CHECKPOINT, claim.jobId(), json))
                        .map(json -> type.cast(codec.decode(json, type))));
    }

    private ColdStatement cold(Connection connection, String sql, Claim claim) {
        return ColdStatement.on(connection, database.sql(sql))
                .set("job", claim.jobId())
                .set("token", claim.token());
    }
}
