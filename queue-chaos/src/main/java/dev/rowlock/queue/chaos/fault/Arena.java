package dev.rowlock.queue.chaos.fault;

import dev.rowlock.queue.chaos.cluster.Database;
import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.history.History.Kill;
import dev.rowlock.queue.chaos.history.History.Strike;
import dev.rowlock.queue.test.postgres.SmallDisk;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What faults are done to. One thread. */
public final class Arena {

    /** Longer than the lease of a run's workers: whoever is away for so long is declared dead. */
    public static final Duration PAST_LEASE = Duration.ofSeconds(5);

    private static final Logger log = LoggerFactory.getLogger(Arena.class);

    private final Database database;
    private final List<Worker> workers;
    private final List<Kill> kills = new ArrayList<>();
    private final List<Strike> strikes = new ArrayList<>();
    private final Standstill standstill = new Standstill();

    public Arena(Database database, List<Worker> workers) {
        this.database = database;
        this.workers = List.copyOf(workers);
    }

    public Database database() {
        return database;
    }

    public List<Worker> workers() {
        return workers;
    }

    public List<Kill> kills() {
        return List.copyOf(kills);
    }

    public List<Strike> strikes() {
        return List.copyOf(strikes);
    }

    /** Lets a fault happen, and notes when. */
    public void strike(Fault fault, Worker worker, Random random) {
        long from = System.nanoTime();
        try {
            fault.strike(this, worker, random);
        } finally {
            long to = System.nanoTime() + fault.settles().toNanos();
            strikes.add(new Strike(fault.name(), fault.place(worker), from, to, fault.silences()));
        }
    }

    /** Everything has been started since then, which nobody calls a fault; but from now on there may be peace. */
    public void started(long since) {
        strikes.add(new Strike("START", "", since, System.nanoTime(), true));
    }

    /** Sets the server's clock to the latest that it ever was, so that all becomes due that ever was to. */
    public void catchUp() {
        long from = System.nanoTime();
        if (database.clockCatchesUp()) {
            long to = System.nanoTime() + Duration.ofSeconds(10).toNanos();
            strikes.add(new Strike("CLOCK_CATCHES_UP", "", from, to, false));
        }
    }

    /** The worker that runs the most jobs now; {@code otherwise} if none runs any. */
    public Worker busiest(Worker otherwise) {
        List<String> names = database.sql().sql("""
                    SELECT n.name FROM rowlock.running r JOIN rowlock.node n ON n.id = r.node_id
                     GROUP BY n.name ORDER BY count(*) DESC LIMIT 1
                    """).query(String.class).list();
        return workers.stream()
                .filter(worker -> worker.alive() && names.contains(worker.name()))
                .findFirst()
                .orElse(otherwise);
    }

    /** Kills a worker's process and notes when. */
    public void kill(Worker worker) {
        if (worker.alive()) {
            kills.add(new Kill(worker.name(), System.nanoTime()));
            worker.kill();
        }
    }

    /** Ends everything that is still going on, and starts every process that is not there. */
    public void heal() {
        database.disk().ifPresent(SmallDisk::free);
        if (!database.server().isRunning()) {
            database.server().startAgain();
        }
        standstill.look(database.sql()).ifPresent(this::restart);
        for (Worker worker : workers) {
            worker.pool().heal();
            worker.direct().heal();
            worker.start();
        }
    }

    /** Ends all of the server's processes, one of which has been standing still since then. */
    void restart(long since) {
        log.warn("the server hangs and is started again: {}", Standstill.processes(database.sql()));
        database.server().stopImmediately();
        database.server().startAgain();
        strikes.add(new Strike("SERVER_HANGS", "", since, System.nanoTime(), true));
    }

    /** Ends what goes on from one fault to the next. The database must answer. */
    public void liftRefusals() {
        TableFault.lift(this);
    }

    /** A fault's duration is part of the fault: nothing can signal that it has lasted long enough. */
    public static void last(Duration time) {
        try {
            new CountDownLatch(1).await(time.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
