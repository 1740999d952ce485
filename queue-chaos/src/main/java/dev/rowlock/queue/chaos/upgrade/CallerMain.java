package dev.rowlock.queue.chaos.upgrade;

import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.chaos.load.Act;
import dev.rowlock.queue.chaos.load.Work;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.core.simple.JdbcClient;

/**
 * An application that only enqueues, with what every version knows, until SIGTERM. The arguments are a URL, a file for what
 * it asked for and was told, and its first uid.
 */
public final class CallerMain {

    private static final Duration PAUSE = Duration.ofMillis(20);

    private final JobTemplate jobs;
    private final JdbcClient sql;
    private final Calls calls;
    private long uid;

    private CallerMain(PGSimpleDataSource source, Calls calls, long firstUid) {
        this.jobs = Rowlock.builder(source).schemaElsewhere().build().jobs();
        this.sql = JdbcClient.create(source);
        this.calls = calls;
        this.uid = firstUid;
    }

    public static void main(String[] arguments) throws InterruptedException {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(arguments[0]);
        Calls calls = new Calls(Path.of(arguments[1]));
        CallerMain caller = new CallerMain(source, calls, Long.parseLong(arguments[2]));
        CountDownLatch stop = new CountDownLatch(1);
        CountDownLatch stopped = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            stop.countDown();
            try {
                stopped.await(10, TimeUnit.SECONDS); // a call that is under way ends
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        while (!stop.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
            caller.call();
        }
        stopped.countDown();
    }

    private void call() {
        long next = uid++;
        switch ((int) (next % 12)) {
            case 0 -> one(new Work.Plain(next, Act.RETRY, 1), JobOptions.NONE);
            case 1 -> one(new Work.Plain(next, Act.SLEEP, 5), JobOptions.NONE.delay(Duration.ofMillis(700)));
            case 2 -> unique(new Work.Plain(next, Act.SLEEP, 10));
            case 3 -> one(new Work.Plain(next, Act.COUNT, 5), JobOptions.NONE);
            case 4 -> one(new Work.Plain(next, Act.SLEEP, 800), JobOptions.NONE.priority(1));
            case 5 -> one(new Work.Plain(next, Act.SNOOZE, 2), JobOptions.NONE);
            case 6 -> bySql(new Work.Plain(next, Act.SLEEP, 3));
            case 7 -> chunk(next);
            case 8 -> one(new Work.Money(next, Act.RETRY, 1), JobOptions.NONE);
            case 9, 10 -> one(new Work.Money(next, Act.SLEEP, 20), JobOptions.NONE);
            default -> one(new Work.Plain(next, Act.SLEEP, 15), JobOptions.NONE);
        }
    }

    private void one(Work work, JobOptions options) {
        calls.call(List.of(work), () -> new long[] {jobs.enqueue(work, options)});
    }

    private void unique(Work work) {
        UniqueKey key = UniqueKey.of("uid-" + work.uid()).atLeast(Duration.ofHours(1));
        calls.call(
                List.of(work), () -> new long[] {jobs.enqueueUnique(work, key).id()});
    }

    private void bySql(Work work) {
        String payload =
                "{\"uid\": %d, \"act\": \"%s\", \"number\": %d}".formatted(work.uid(), work.act(), work.number());
        calls.call(List.of(work), () -> new long[] {
            sql.sql("SELECT rowlock.enqueue('plain', ?::json)")
                    .param(payload)
                    .query(Long.class)
                    .single()
        });
    }

    private void chunk(long first) {
        boolean transactional = first % 24 == 7;
        uid += 4;
        List<Work> works = LongStream.range(first, uid)
                .<Work>mapToObj(each ->
                        transactional ? new Work.Ledger(each, Act.SLEEP, 1) : new Work.Index(each, Act.SLEEP, 1))
                .toList();
        calls.call(works, () -> jobs.enqueueAll(works));
    }
}
