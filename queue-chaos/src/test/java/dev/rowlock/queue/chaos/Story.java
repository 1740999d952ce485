package dev.rowlock.queue.chaos;

import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.chaos.history.History.Effect;
import dev.rowlock.queue.chaos.history.History.End;
import dev.rowlock.queue.chaos.history.History.Gone;
import dev.rowlock.queue.chaos.history.History.Held;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.history.History.Move;
import dev.rowlock.queue.chaos.history.History.Pulse;
import dev.rowlock.queue.chaos.history.History.Removal;
import dev.rowlock.queue.chaos.history.History.Row;
import dev.rowlock.queue.chaos.history.History.Rule;
import dev.rowlock.queue.chaos.history.History.Run;
import dev.rowlock.queue.chaos.history.History.Said;
import dev.rowlock.queue.chaos.history.History.Serves;
import dev.rowlock.queue.chaos.history.History.Signs;
import dev.rowlock.queue.chaos.history.History.Start;
import dev.rowlock.queue.chaos.history.History.Steering;
import dev.rowlock.queue.chaos.history.History.Step;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.chaos.history.History.Trace;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Awaits.Wait;
import dev.rowlock.queue.chaos.load.Drafts.Word;
import dev.rowlock.queue.chaos.load.Fate;
import dev.rowlock.queue.chaos.load.Questions.Asked;
import dev.rowlock.queue.chaos.load.Recurrences.Life;
import dev.rowlock.queue.chaos.load.Told;
import dev.rowlock.queue.job.JobOptions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A history that can be told wrong. As it begins, every promise holds: job 1 completes at once; job 2 moves money, is
 * killed on node 1 under token 11 and completes on node 2 under token 12; job 3 fails once and is retried; job 4 was
 * rolled back.
 */
final class Story {

    /** When each move was made, by its number. */
    private static final long[] AT = {0, 1, 2, 3, 9, 13, 19, 49, 50, 59, 66, 69, 73, 78, 79, 83, 84};

    final List<Told> told = new ArrayList<>(List.of(
            told(1, 1, Fate.COMMITTED, "plain", Act.SLEEP, 0),
            told(2, 2, Fate.COMMITTED, "money", Act.SLEEP, 0),
            told(3, 3, Fate.COMMITTED, "plain", Act.RETRY, 1),
            told(4, 4, Fate.ROLLED_BACK, "plain", Act.SLEEP, 0)));
    final List<Start> starts = new ArrayList<>(List.of(
            new Start("w1", 10, 1, 10, 1, 1, 0),
            new Start("w1", 20, 2, 11, 2, 1, 0),
            new Start("w2", 60, 2, 12, 2, 1, 1),
            new Start("w2", 70, 3, 13, 3, 1, 0),
            new Start("w2", 80, 3, 14, 3, 2, 0)));
    final List<End> ends = new ArrayList<>(List.of(
            new End("w1", 12, 1, 10, "returned"),
            new End("w2", 65, 2, 12, "returned"),
            new End("w2", 72, 3, 13, "IllegalStateException"),
            new End("w2", 82, 3, 14, "returned")));
    final List<Said> said = new ArrayList<>(List.of(
            new Said("w1", 13, 1, 10, "completed"),
            new Said("w2", 66, 2, 12, "completed"),
            new Said("w2", 73, 3, 13, "retried"),
            new Said("w2", 83, 3, 14, "completed")));
    final List<Move> moves = new ArrayList<>(List.of(
            move(1, 1, "ready", "", 0, 0, 0, 0),
            move(2, 2, "ready", "", 0, 0, 0, 0),
            move(3, 3, "ready", "", 0, 0, 0, 0),
            move(4, 1, "running", "", 10, 1, 1, 0),
            move(5, 1, "done", "completed", 10, 1, 1, 0),
            move(6, 2, "running", "", 11, 1, 1, 0),
            move(8, 2, "ready", "", 0, 0, 0, 1),
            move(9, 2, "running", "", 12, 2, 1, 1),
            move(10, 2, "done", "completed", 12, 2, 1, 1),
            move(11, 3, "running", "", 13, 2, 1, 0),
            move(12, 3, "waiting", "retry", 0, 0, 1, 0),
            move(13, 3, "ready", "", 0, 0, 1, 0),
            move(14, 3, "running", "", 14, 2, 2, 0),
            move(15, 3, "done", "completed", 14, 2, 2, 0)));
    final List<Removal> removals = new ArrayList<>(List.of(removal(7, 1, "w1")));
    final List<Step> steps = new ArrayList<>(List.of(new Step(1, 1, 11), new Step(1, 2, 12)));
    final List<Effect> effects = new ArrayList<>(List.of(new Effect(2, 2, 12)));
    final List<Row> rows = new ArrayList<>(List.of(
            row(1, 1, "completed", 1, 0, 0, 10L),
            row(2, 2, "completed", 1, 1, 0, 12L),
            row(3, 3, "completed", 2, 0, 1, 14L)));
    final List<Kill> kills = new ArrayList<>(List.of(new Kill("w1", 30)));

    final List<Strike> strikes = new ArrayList<>();
    final List<Held> held = new ArrayList<>();
    final List<Run> runs = new ArrayList<>();
    final List<Life> lives = new ArrayList<>();
    final List<Word> words = new ArrayList<>();
    final List<Wait> waits = new ArrayList<>();
    final List<Asked> asked = new ArrayList<>();
    final List<Rule> rules = new ArrayList<>();
    Steering steering = new Steering(List.of(), 0, 0, 0);
    final List<Pulse> pulses = new ArrayList<>();
    final List<Serves> serves = new ArrayList<>();
    final List<Gone> gone = new ArrayList<>();
    final List<Trace> traces = new ArrayList<>();

    /** From the first second on nothing is wrong, for a minute; both nodes are there, with one thread each, and idle. */
    Story peace() {
        strikes.add(new Strike("START", "", 0, second(1), true));
        for (String node : List.of(Pulse.DATABASE, "w1", "w2")) {
            IntStream.rangeClosed(0, 60).forEach(i -> pulses.add(new Pulse(node, second(i))));
        }
        serves.add(new Serves("w1", "default", 1));
        serves.add(new Serves("w2", "default", 1));
        return this;
    }

    /** A fifth job, ready in second 10, claimed by node 1 at once, begun and done in this one. */
    Story fifth(int begun) {
        told.add(told(5, 5, Fate.COMMITTED, "plain", Act.SLEEP, 0));
        moves.add(moveAt(10, 16, "ready", "", 0, 0, 0));
        moves.add(moveAt(10, 17, "running", "", 16, 1, 1));
        starts.add(new Start("w1", second(begun), 5, 16, 5, 1, 0));
        ends.add(new End("w1", second(begun), 5, 16, "returned"));
        moves.add(moveAt(begun, 18, "done", "completed", 16, 1, 1));
        rows.add(row(5, 5, "completed", 1, 0, 0, 16L));
        return this;
    }

    /** A fifth job, claimed under a fault by a node that got no answer, given back and done in this second. */
    Story stranded(int undone) {
        fifth(undone);
        moves.removeIf(move -> move.seq() == 16 || move.seq() == 17);
        moves.add(new Move(16, 1, 5, "default", "ready", "", 0, 0, 0, 0));
        moves.add(new Move(17, 2, 5, "default", "running", "", 15, 1, 1, 0));
        moves.add(moveAt(undone, 18, "ready", "", 0, 0, 0));
        moves.add(moveAt(undone, 19, "running", "", 16, 1, 1));
        moves.removeIf(move -> move.room().equals("done") && move.job() == 5);
        moves.add(moveAt(undone, 20, "done", "completed", 16, 1, 1));
        return this;
    }

    private static Move moveAt(int second, long seq, String room, String detail, long token, long node, int attempt) {
        return new Move(seq, second(second), 5, "default", room, detail, token, node, attempt, 0);
    }

    static Told told(long uid, long id, Fate fate, String type, Act act, int number) {
        return new Told(uid, id, fate, type, act, number, JobOptions.NONE, "alone");
    }

    static Row row(long id, long uid, String state, int attempt, int crashes, int errors, @Nullable Long token) {
        return new Row(id, uid, state, attempt, crashes, errors, token, List.of());
    }

    static Run run(long second, long job) {
        return new Run("each-second", Instant.ofEpochSecond(second), job);
    }

    static long second(long number) {
        return number * 1_000_000_000;
    }

    static Move move(long seq, long job, String room, String detail, long token, long node, int attempt, int crashes) {
        return new Move(seq, AT[(int) seq], job, "default", room, detail, token, node, attempt, crashes);
    }

    static Removal removal(long seq, long node, String name) {
        return new Removal(seq, AT[Math.min((int) seq, AT.length - 1)], node, name);
    }

    History history() {
        Signs signs = new Signs(pulses, serves, gone, traces);
        return new History(
                told, starts, ends, said, moves, removals, effects, steps, rows, kills, strikes, held, runs, lives,
                words, waits, asked, rules, steering, signs);
    }
}
