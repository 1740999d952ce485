package dev.rowlock.queue.internal.janitor;

import dev.rowlock.queue.internal.chore.Chore;
import dev.rowlock.queue.internal.chore.SharedChore;
import dev.rowlock.queue.internal.chore.TakeChore;
import dev.rowlock.queue.internal.db.Database;
import dev.rowlock.queue.internal.db.EnsureDonePartitions;
import dev.rowlock.queue.internal.db.JobStatements;
import dev.rowlock.queue.settings.RetentionSettings;
import java.time.Clock;
import java.time.Duration;
import java.util.List;

/** The chores of a node that keep tables small, and those that measure. */
public final class Cleanup {

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration FIVE_MINUTES = Duration.ofMinutes(5);
    private static final Duration TEN_MINUTES = Duration.ofMinutes(10);

    private static final Duration DEPTH = Duration.ofSeconds(15);
    private static final Duration DATABASE = Duration.ofSeconds(30);

    private static final int DAYS_AHEAD = 7;

    private static final int KEYS = 1_000;
    private static final int CHECKPOINTS = 500;
    private static final int LOGS = 100;

    /** Few, since each of them may be large. */
    private static final int PAYLOADS = 200;

    /** The rest follows the next day: it is small. */
    private static final int NODES = 10_000;

    /** Of what takes long, in large tables: at most a twentieth of one connection's time. */
    private static final int REST_PER_WORK = 20;

    private Cleanup() {}

    /** One node's, the urgent ones first. */
    public static List<Chore> chores(Database database, RetentionSettings retention) {
        TakeChore take = new TakeChore(database);
        Database patient = database.patient();
        Leftovers ofLargeTables = new Leftovers(patient);
        Leftovers leftovers = new Leftovers(database);
        Measurements measure = new Measurements(database);
        return List.of(
                new DonePartitions(new EnsureDonePartitions(database)),
                new Retention(
                        retention,
                        take,
                        new AgreeRetention(database),
                        new DropDonePartitions(patient),
                        new JobStatements(database),
                        Clock.systemUTC()),
                indexOfDone(take, new IndexDonePartitions(patient)),
                new TableWalk<>(
                        take,
                        "free unique keys",
                        FIVE_MINUTES,
                        FIVE_MINUTES,
                        Leftovers.FIRST_KEY,
                        behind -> leftovers.freeKeys(behind, KEYS)),
                // If a round has found none, the next will hardly find more before retention drops another day.
                new TableWalk<>(
                        take,
                        "leftover payloads",
                        MINUTE,
                        TEN_MINUTES,
                        Leftovers.FIRST_ID,
                        behind -> ofLargeTables.payloads(behind, PAYLOADS)),
                new TableWalk<>(
                        take,
                        "leftover job logs",
                        MINUTE,
                        TEN_MINUTES,
                        Leftovers.FIRST_ID,
                        behind -> ofLargeTables.logs(behind, LOGS)),
                new TableWalk<>(
                        take,
                        "ended checkpoints",
                        FIVE_MINUTES,
                        FIVE_MINUTES,
                        Leftovers.FIRST_ID,
                        behind -> ofLargeTables.checkpoints(behind, CHECKPOINTS)),
                new SharedChore(take, "past nodes", Duration.ofDays(1), () -> ofLargeTables.pastNodes(NODES)),
                new SharedChore(take, "reached places", MINUTE, () -> leftovers.reached(MINUTE)),
                new SharedChore(take, "rates", MINUTE, leftovers::spentRates),
                depth(take, new Measurements(patient)),
                new SharedChore(take, "figures", DATABASE, () -> {
                    measure.features();
                    measure.database();
                }));
    }

    /** The index of days that are over, a day at a time: only searches use it. A schema that was upgraded has many days without one. */
    private static Chore indexOfDone(TakeChore take, IndexDonePartitions index) {
        return new SharedChore(take, "index of done", TEN_MINUTES, () -> {
            long begun = System.nanoTime();
            return index.run() == null ? TEN_MINUTES : Chore.restAfter(begun, REST_PER_WORK, Duration.ZERO);
        });
    }

    private static Chore depth(TakeChore take, Measurements measure) {
        return new SharedChore(take, "depth", DEPTH, () -> {
            long begun = System.nanoTime();
            measure.depth();
            return Chore.restAfter(begun, REST_PER_WORK, DEPTH);
        });
    }

    /** The partitions for the days to come. Each node makes them: where they exist it costs next to nothing, and if a node dies over it, the others do it. */
    private record DonePartitions(EnsureDonePartitions ensure) implements Chore {

        @Override
        public String name() {
            return "partitions of done";
        }

        @Override
        public Duration runOnce() {
            ensure.run(DAYS_AHEAD);
            return TEN_MINUTES;
        }
    }
}
