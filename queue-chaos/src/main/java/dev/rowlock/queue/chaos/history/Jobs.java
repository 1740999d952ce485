package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Operators;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.chaos.load.Work;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** What was asked of each job, by its id, and how it ended. */
public record Jobs(Map<Long, Told> told, Map<Long, Row> rows) {

    private static final int LISTENERS_RETRIES = 3;

    /** Where memory runs out anything may fail, also what has nothing to do with who took it. */
    private static final String OUT_OF_MEMORY = OutOfMemoryError.class.getName();

    public static Jobs of(History history) {
        Map<Long, Told> byUid =
                history.told().stream().collect(Collectors.toMap(Told::uid, Function.identity(), (a, b) -> a));
        Map<Long, Told> byId = new HashMap<>();
        history.rows().stream()
                .filter(row -> byUid.containsKey(row.uid()))
                .forEach(row -> byId.put(row.id(), byUid.get(row.uid())));
        for (Start start : history.starts()) {
            if (byUid.containsKey(start.uid())) {
                byId.putIfAbsent(start.job(), byUid.get(start.uid()));
            }
        }
        return new Jobs(
                byId, history.rows().stream().collect(Collectors.toMap(Row::id, Function.identity(), (a, b) -> a)));
    }

    /** Whether the server may refuse to write down what comes of its attempts. */
    public boolean cursed(long job) {
        Told asked = told.get(job);
        return asked != null && cursed(asked);
    }

    public static boolean cursed(Told asked) {
        return asked.type().equals("cursed");
    }

    /** Those that write an effect. */
    public static boolean transactional(Told told) {
        return told.type().equals("money") || told.type().equals("ledger");
    }

    /** Whether operators give it other payloads and further lives. */
    public static boolean steered(Told asked) {
        return asked.type().equals("steered");
    }

    /** Whether it may have been redriven, or skipped and brought back: errors of its first life stay with it. */
    public static boolean livesAgain(Told asked, Row row) {
        return asked.type().equals("linked")
                && (asked.options().headers().containsKey(Operators.MENDS)
                        || row.blames().contains("skipped"));
    }

    /** Those whose attempts nothing but their handler may end. */
    public static boolean needsOnlyItsThread(Told told) {
        return !transactional(told) && !cursed(told) && told.act() != Act.HOG;
    }

    public boolean sufferedFromMemory(long job) {
        Row row = rows.get(job);
        return row != null && row.blames().contains(OUT_OF_MEMORY);
    }

    public static int retries(Told told) {
        Integer own = told.options().maxRetries();
        return own != null ? own : told.type().equals("once") ? 0 : LISTENERS_RETRIES;
    }

    public static @Nullable Duration timeout(Told told) {
        Duration own = told.options().timeout();
        return own != null ? own : told.type().equals("once") ? Work.Once.TIMEOUT : null;
    }
}
