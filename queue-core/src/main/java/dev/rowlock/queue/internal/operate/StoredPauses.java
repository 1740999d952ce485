package dev.rowlock.queue.internal.operate;

import dev.rowlock.queue.internal.db.AuditNote;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.Pauses;
import dev.rowlock.queue.internal.db.TransactionStanding;
import dev.rowlock.queue.internal.wake.AfterCommit;
import dev.rowlock.queue.operate.Actor;
import dev.rowlock.queue.operate.Pause;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Locale;

/** Pauses in the database, for all nodes. Thread-safe. */
public final class StoredPauses {

    private final Database database;
    private final AfterCommit afterCommit;
    private final Pauses pauses;

    public StoredPauses(Database database, AfterCommit afterCommit) {
        this.database = database;
        this.afterCommit = afterCommit;
        this.pauses = new Pauses(database);
    }

    /** Returns whether it was not paused. */
    public boolean pause(Pause.Kind kind, String name, Actor by) {
        TransactionStanding standing = database.requireWritable("pause");
        boolean changed = pauses.pause(label(kind), name, note("pause", kind, name, by));
        afterCommit.attention(standing);
        return changed;
    }

    /** Returns whether it was paused. */
    public boolean resume(Pause.Kind kind, String name, Actor by) {
        TransactionStanding standing = database.requireWritable("resume");
        boolean changed = pauses.resume(label(kind), name, note("resume", kind, name, by));
        afterCommit.attention(standing);
        return changed;
    }

    public List<Pause> list() {
        return pauses.list(row -> new Pause(
                Pause.Kind.valueOf(row.getString("kind").toUpperCase(Locale.ROOT)),
                row.getString("name"),
                row.getObject("paused_at", OffsetDateTime.class).toInstant(),
                row.getString("who"),
                row.getString("why")));
    }

    private static AuditNote note(String action, Pause.Kind kind, String name, Actor by) {
        return new AuditNote(by.who(), by.why(), action, (label(kind) + " " + name).trim(), null);
    }

    private static String label(Pause.Kind kind) {
        return kind.name().toLowerCase(Locale.ROOT);
    }
}
