package dev.rowlock.queue.internal.run;

import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.result.CheckpointStatements;
import dev.rowlock.queue.job.Claim;
import dev.rowlock.queue.spi.PayloadCodec;
import java.nio.charset.StandardCharsets;
import java.util.Optional;

/** Checkpoints that handlers save for the next attempt of their jobs, as JSON of limited size. */
public final class Checkpoints {

    /** Each save writes all of it. */
    static final int MAX_BYTES = 64 * 1024;

    private final Database database;
    private final PayloadCodec codec;
    private final CheckpointStatements statements;

    public Checkpoints(Database database, PayloadCodec codec) {
        this.database = database;
        this.codec = codec;
        this.statements = new CheckpointStatements(database);
    }

    /** Returns whether the claim was still held. */
    boolean save(Claim claim, Object value) {
        if (value == null) {
            throw new IllegalArgumentException(
                    "the checkpoint is null: there is no way to remove one; save a value that says so");
        }
        TransactionStanding standing = database.requireWritable("saveCheckpoint");
        String json = codec.encode(value);
        codec.checkReadable(json, value.getClass());
        requireSize(json);
        return statements.save(standing, claim, json);
    }

    private static void requireSize(String json) {
        if (json.length() * 3L <= MAX_BYTES) {
            return; // fewer bytes than that whatever the characters are
        }
        int bytes = json.getBytes(StandardCharsets.UTF_8).length;
        if (bytes > MAX_BYTES) {
            throw new IllegalArgumentException(
                    "a checkpoint of %d bytes as JSON is too large: %d are allowed. Store the data in a table of your own and save where it is"
                            .formatted(bytes, MAX_BYTES));
        }
    }

    /** Empty if the claim was lost; otherwise the checkpoint, if there is one. */
    <T> Optional<Optional<T>> load(Claim claim, Class<T> type) {
        return statements
                .load(claim)
                .map(found -> Optional.ofNullable(found.json()).map(json -> type.cast(codec.decode(json, type))));
    }
}
