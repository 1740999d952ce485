package dev.rowlock.queue.chaos.failover;

import dev.rowlock.queue.chaos.cluster.Worker;
import dev.rowlock.queue.chaos.cluster.WorkerSetup;
import dev.rowlock.queue.chaos.failover.Books.Times;
import dev.rowlock.queue.chaos.fault.Arena;
import dev.rowlock.queue.chaos.history.Audit;
import dev.rowlock.queue.chaos.history.History;
import dev.rowlock.queue.test.postgres.EmbeddedServer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.stream.IntStream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One failover under load: the first server is lost, the second one promoted, and all jobs are worked off there. */
public final class FailoverRun {

    private static final Logger log = LoggerFactory.getLogger(FailoverRun.class);

    private static final int NODES = 3;
    private static final Duration BEFORE = Duration.ofSeconds(5);
    private static final Duration AFTER = Duration.ofSeconds(8);
    private static final String LIVE = "rowlock.job WHERE state IN ('waiting', 'ready', 'running')";
    private static final Duration TIMEOUT = Duration.ofMinutes(5);

    private final Loss loss;
    private final boolean synchronous;
    private final WorkerSetup setup;

    /** @param synchronous whether commits wait for the standby */
    public FailoverRun(Loss loss, boolean synchronous, Path folder) {
        this.loss = loss;
        this.synchronous = synchronous;
        this.setup = WorkerSetup.quick(folder);
    }

    public Books run() {
        try (Pair pair = new Pair(synchronous)) {
            List<Worker> workers = IntStream.rangeClosed(1, NODES)
                    .mapToObj(i -> new Worker("w" + i, setup, pair.url()))
                    .toList();
            try {
                workers.forEach(Worker::start);
                await("all nodes run", () -> count(pair, pair.first, "rowlock.node") == NODES);
                Callers callers = new Callers(pair.url());
                long claimsOnFirst = 0;
                Times times;
                try (callers) {
                    Arena.last(BEFORE);
                    times = fail(pair);
                    if (loss != Loss.KILLED) {
                        claimsOnFirst = claimsSince(times.promoted(), pair.first);
                        pair.first.stopImmediately();
                        Arena.last(AFTER);
                    }
                }
                awaitEnded(pair);
                workers.forEach(Worker::terminate);
                workers.forEach(worker -> worker.awaitExit(Duration.ofSeconds(40)));
                List<Path> logs = workers.stream()
                        .flatMap(worker -> worker.logs().stream())
                        .toList();
                return Books.of(history(pair.second, logs), callers.answers(), callers.failed(), claimsOnFirst, times);
            } finally {
                workers.forEach(Worker::close);
            }
        }
    }

    private Times fail(Pair pair) {
        long lost = System.nanoTime();
        switch (loss) {
            case KILLED -> pair.killFirst();
            case CUT_OFF -> pair.cutOffFirst();
            case NOT_FENCED -> pair.cutReplication();
        }
        pair.second.promote();
        long promoted = System.nanoTime();
        log.info("{}: promoted after {} ms", loss, (promoted - lost) / 1_000_000);
        Arena.last(AFTER);
        if (loss == Loss.CUT_OFF) {
            pair.reachFirst();
            pair.shakeSecond();
            Arena.last(AFTER);
        }
        return new Times(lost, promoted);
    }

    private static void awaitEnded(Pair pair) {
        try {
            await("all jobs have ended", () -> count(pair, pair.second, LIVE) == 0);
        } catch (IllegalStateException e) {
            pair.sql(pair.second)
                    .sql(
                            "SELECT j.id, j.state, j.token, j.node_id, j.due_at, j.claimed_at, now() FROM rowlock.job_details j WHERE state IN ('waiting', 'ready', 'running') ORDER BY id LIMIT 20")
                    .query()
                    .listOfRows()
                    .forEach(job -> log.error("not ended: {}", job));
            throw e;
        }
    }

    private static long claimsSince(long nanos, EmbeddedServer server) {
        return history(server, List.of()).moves().stream()
                .filter(move -> move.room().equals("running") && move.nanos() > nanos)
                .count();
    }

    private static History history(EmbeddedServer server, List<Path> logs) {
        return new Audit(server.unpooled(server.homeDatabase())).history(List.of(), logs, List.of());
    }

    private static long count(Pair pair, EmbeddedServer server, String fromWhere) {
        return pair.sql(server)
                .sql("SELECT count(*) FROM " + fromWhere)
                .query(Long.class)
                .single();
    }

    private static void await(String what, BooleanSupplier condition) {
        long begun = System.nanoTime();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - begun > TIMEOUT.toNanos()) {
                throw new IllegalStateException("not within %s: %s".formatted(TIMEOUT, what));
            }
            Arena.last(Duration.ofMillis(200));
        }
    }
}
