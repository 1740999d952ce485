package dev.rowlock.queue.chaos.history;

import dev.rowlock.queue.chaos.load.Awaits.Wait;
import dev.rowlock.queue.chaos.load.Drafts.Word;
import dev.rowlock.queue.chaos.load.Operators.Paused;
import dev.rowlock.queue.chaos.load.Questions.Asked;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import dev.rowlock.queue.chaos.load.Told;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Everything that is known about a run. Three witnesses that do not know of each other: what producers were told, what
 * handlers wrote into files, and what triggers wrote down about every move of a job from room to room.
 *
 * <p>Nanos are monotonic and the same for all processes of the run.
 */
public record History(
        List<Told> told,
        List<Start> starts,
        List<End> ends,
        List<Said> said,
        List<Move> moves,
        List<Removal> removals,
        List<Effect> effects,
        List<Step> steps,
        List<Row> rows,
        List<Kill> kills,
        List<Strike> strikes,
        List<Held> held,
        List<Run> runs,
        List<Life> lives,
        List<Word> words,
        List<Wait> waits,
        List<Asked> asked,
        List<Rule> rules,
        Steering steering,
        Signs signs) {

    /** A job that counts wrote down a step, in one transaction with its checkpoint; in the order of their inserts. */
    public record Step(long job, int number, long token) {}

    /** A handler began. {@code node} is the name of a process; one that is started again has another name. */
    public record Start(String node, long nanos, long job, long token, long uid, int attempt, int crashes) {}

    /** A handler ended; {@code how} is {@code returned}, or what it threw. */
    public record End(String node, long nanos, long job, long token, String how) {}

    /** A node was told what became of an outcome: its label, or {@code lost}. */
    public record Said(String node, long nanos, long job, long token, String label) {}

    /**
     * A row was inserted into a room, in the order of {@code seq}.
     *
     * @param nanos when; not by the server's clock, which steps. 0 where the machine does not tell
     * @param detail the reason in waiting, the state in done and dead, the transaction in ready and running
     * @param token 0 except in running and done
     * @param node the node's number; 0 except in running and done
     */
    public record Move(
            long seq,
            long nanos,
            long job,
            String queue,
            String room,
            String detail,
            long token,
            long node,
            int attempt,
            int crashes) {}

    /**
     * The limits of a queue were set. Nanos as of a {@link Move}, before the commit.
     *
     * @param maxRunning null: none
     * @param maxRunningPerKey null: none
     */
    public record Rule(
            long seq,
            long nanos,
            String queue,
            @Nullable Integer maxRunning,
            @Nullable Integer maxRunningPerKey) {}

    /** A node's row was deleted. */
    public record Removal(long seq, long nanos, long node, String name) {}

    /** A row that a transactional handler wrote. */
    public record Effect(long uid, long job, long token) {}

    /**
     * Where a job is at the end.
     *
     * @param blames the types of its errors, oldest first
     */
    public record Row(
            long id,
            long uid,
            String state,
            int attempt,
            int crashes,
            int errors,
            @Nullable Long token,
            List<String> blames) {

        public Row {
            blames = List.copyOf(blames);
        }
    }

    /** A job of a recurring job; such jobs are not among the rows. */
    public record Run(String recurring, Instant at, long job) {}

    /**
     * What operators did.
     *
     * @param pauses of the type {@code steered}
     * @param done how many jobs bulk actions say they have redriven
     * @param audited how many the audit table says
     * @param going how many bulk actions go on
     */
    public record Steering(List<Paused> pauses, long done, long audited, long going) {

        public Steering {
            pauses = List.copyOf(pauses);
        }
    }

    /** A process was killed by the harness. */
    public record Kill(String node, long nanos) {}

    /**
     * A fault.
     *
     * @param place whom it struck, such as {@code w1}; empty: everybody
     * @param to when the last of its effects has ended that it may have by right
     * @param silences whether somebody who was struck may be taken for dead
     */
    public record Strike(String fault, String place, long from, long to, boolean silences) {

        /** Whether jobs that have ended may be gone because of it: by hand, or because they look old. Nobody can know then how they have ended. */
        public boolean takesEndedJobs() {
            return fault.contains("PARTITION") || fault.equals("WEEK_AWAY");
        }
    }

    /**
     * Somebody's transaction held back vacuum. It is no strike: whatever lasts too long meanwhile has no excuse.
     *
     * @param to when the server last said that it was there
     * @param cut whether a fault ended it before its time
     * @param transactions so many had begun since, at most
     * @param dead the dead rows of the queue's tables, at most
     */
    public record Held(String how, long from, long to, boolean cut, long transactions, long dead) {}

    /** What the processes showed of themselves, several times a second. */
    public record Signs(List<Pulse> pulses, List<Serves> serves, List<Gone> gone, List<Trace> traces) {

        public Signs {
            pulses = List.copyOf(pulses);
            serves = List.copyOf(serves);
            gone = List.copyOf(gone);
            traces = List.copyOf(traces);
        }
    }

    /** A process was alive; {@link #DATABASE}: the database answered quickly, and the machine had time for its processes. */
    public record Pulse(String node, long nanos) {

        /** The node of pulses that are the database's. */
        public static final String DATABASE = "database";
    }

    /** A process runs the jobs of a queue, on so many threads. */
    public record Serves(String node, String queue, int threads) {}

    /** One of Rowlock's own threads is missing in a process. */
    public record Gone(String node, long nanos, String thread) {}

    /** A handler found on its thread what other user code had left there. */
    public record Trace(String node, long nanos, String what) {}

    public History {
        told = List.copyOf(told);
        starts = List.copyOf(starts);
        ends = List.copyOf(ends);
        said = List.copyOf(said);
        moves = List.copyOf(moves);
        removals = List.copyOf(removals);
        effects = List.copyOf(effects);
        rows = List.copyOf(rows);
        kills = List.copyOf(kills);
        strikes = List.copyOf(strikes);
        held = List.copyOf(held);
        runs = List.copyOf(runs);
        lives = List.copyOf(lives);
        words = List.copyOf(words);
        waits = List.copyOf(waits);
        asked = List.copyOf(asked);
        rules = List.copyOf(rules);
    }
}
