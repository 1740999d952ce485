package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Jobs of a key one after the other, over two nodes, whatever becomes of each. */
@PostgresTest(freshPerTest = true, migrated = true)
class KeysInOrderTest {

    private static final Duration LONG = Duration.ofMinutes(1);

    record Book(String account, int number, List<String> attempts) {}

    private final Rowlocks rowlocks = new Rowlocks();
    private final Map<String, List<Integer>> done = new ConcurrentHashMap<>();
    private final Map<String, Integer> running = new ConcurrentHashMap<>();
    private final Map<String, Integer> attempts = new ConcurrentHashMap<>();
    private final List<String> overlaps = new CopyOnWriteArrayList<>();
    private final Rowlock first;
    private final TestDatabase database;

    KeysInOrderTest(TestDatabase database) {
        this.database = database;
        first = node();
    }

    private Rowlock node() {
        return rowlocks.built(Rowlocks.quick(database.dataSource())
                .retry(RetryPolicy.fixed(Duration.ofMillis(5)).maxRetries(5))
                .listener(Book.class, (book, job) -> book(book)));
    }

    private void book(Book book) {
        if (running.merge(book.account(), 1, Integer::sum) > 1) {
            overlaps.add(book.account());
        }
        try {
            int attempt = attempts.merge(book.account() + book.number(), 1, Integer::sum) - 1;
            Thread.yield(); // others begin meanwhile, if they may
            switch (attempt < book.attempts().size() ? book.attempts().get(attempt) : "completes") {
                case "throws" -> throw new IllegalStateException("not yet");
                case "snoozes" -> throw new SnoozeException(Duration.ofMillis(5));
                case "waits long" -> throw new SnoozeException(Duration.ofHours(1));
                case "fails" -> throw new DoNotRetryException("never");
                default ->
                    done.computeIfAbsent(book.account(), account -> new CopyOnWriteArrayList<>())
                            .add(book.number());
            }
        } finally {
            running.merge(book.account(), -1, Integer::sum);
        }
    }

    @AfterEach
    void close() throws Exception {
        rowlocks.close();
    }

    /** Its work has begun: half of it may be done. */
    @Test
    void aJobThatSnoozesAndIsPostponedHoldsUpTheOthersOfItsKey() {
        order(AfterFailure.HOLD);
        first.start();
        UniqueKey unique = UniqueKey.of("draft").postponing(Duration.ofHours(2));
        JobOptions keyed = JobOptions.NONE.key("a");
        long begun = first.jobs()
                .enqueue(
                        new Book("a", 1, List.of("waits long")),
                        keyed.unique(unique).delay(Duration.ofMillis(1)));
        await().until(() -> attempts.containsKey("a1") && state(begun) == JobState.WAITING); // again
        first.jobs().enqueue(new Book("a", 2, List.of()), keyed);

        first.jobs()
                .enqueue(
                        new Book("a", 1, List.of("waits long")),
                        keyed.unique(unique).delay(Duration.ofMinutes(1)));

        first.jobs().enqueue(new Book("b", 1, List.of()), JobOptions.NONE.key("b"));
        await().until(() -> done.containsKey("b"));
        assertThat(done).doesNotContainKey("a");
        first.admin().runNow(begun);
        await().until(() -> List.of(1, 2).equals(done.get("a")));
    }

    @Test
    void eachKeysJobsEndInTheOrderOfTheirEnqueues() {
        order(AfterFailure.HOLD);
        Random random = new Random(4711);
        List<String> ways = List.of("completes", "completes", "throws", "snoozes");
        for (int number = 0; number < 25; number++) {
            for (String account : List.of("a", "b", "c", "d", "e", "f")) {
                enqueue(
                        account,
                        number,
                        random.ints(3, 0, ways.size()).mapToObj(ways::get).toArray(String[]::new));
            }
        }
        first.start();
        node().start();

        await().atMost(LONG)
                .until(() -> done.values().stream().mapToInt(List::size).sum() == 150);
        List<Integer> inOrder = IntStream.range(0, 25).boxed().toList();
        assertThat(done)
                .hasSize(6)
                .allSatisfy((account, numbers) -> assertThat(numbers).isEqualTo(inOrder));
        assertThat(overlaps).isEmpty();
    }

    @Test
    void aKeyWaitsForItsFailedJobUntilThatIsRedriven() {
        order(AfterFailure.HOLD);
        long failing = enqueue("a", 0, "fails");
        long next = enqueue("a", 1);
        enqueue("b", 0);
        first.start();
        await().until(() -> state(failing) == JobState.DEAD && done.containsKey("b"));

        assertThat(first.limits().blockedKeys("default", 10)).singleElement().satisfies(blocked -> {
            assertThat(blocked).isEqualTo(new BlockedKey("default", "a", failing, JobState.DEAD, blocked.at(), 1));
        });
        assertThat(first.search().explain(next).orElseThrow().reasons())
                .anySatisfy(reason -> assertThat(reason.kind()).isEqualTo(Kind.KEY_HELD))
                .anySatisfy(reason -> assertThat(reason.text()).contains("job " + failing + " of its key is dead"));
        first.admin().redrive(failing);

        await().until(() -> List.of(0, 1).equals(done.get("a")));
        assertThat(first.limits().blockedKeys("default", 10)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"a, B", "é, Z", "9, 10", "ı, z"})
    void keysWaitForTheirFailedJobsHoweverTheDatabaseOrdersText(String one, String other) {
        order(AfterFailure.HOLD);
        long failing = enqueue(one, 0, "fails");
        enqueue(one, 1);
        long alsoFailing = enqueue(other, 0, "fails");
        enqueue(other, 1);
        first.start();
        await().until(() -> state(failing) == JobState.DEAD && state(alsoFailing) == JobState.DEAD);

        enqueue("free", 0);
        await().until(() -> done.containsKey("free"));

        assertThat(done).containsOnlyKeys("free");
        assertThat(first.limits().blockedKeys("default", 10))
                .extracting(BlockedKey::key)
                .containsExactlyInAnyOrder(one, other);
    }

    @Test
    void aJobThatFailedBeforeThereWasAnOrderHoldsUpItsKeyAsSoonAsThereIsOne() {
        long failed = enqueue("a", 0, "fails");
        first.start();
        await().until(() -> state(failed) == JobState.DEAD);
        enqueue("a", 1);
        await().until(() -> List.of(1).equals(done.get("a")));

        order(AfterFailure.HOLD);
        long next = enqueue("a", 2);
        enqueue("b", 0);
        await().until(() -> done.containsKey("b"));

        assertThat(done.get("a")).containsExactly(1);
        assertThat(first.limits().blockedKeys("default", 10))
                .singleElement()
                .satisfies(blocked -> assertThat(blocked.jobId()).isEqualTo(failed));
        assertThat(first.search().explain(next).orElseThrow().reasons())
                .anySatisfy(reason -> assertThat(reason.text()).contains("job " + failed + " of its key is dead"));
        first.admin().discard(failed);
        await().until(() -> List.of(1, 2).equals(done.get("a")));
    }

    @Test
    void aJobThatFailedBeforeThereWasAnOrderCancelsTheRestAsSoonAsThereIsOne() {
        first.limits().set(QueueLimit.of("default").ratePerKey(Rate.perHour(1).burst(1)));
        long failed = enqueue("a", 0, "fails");
        long rest = enqueue("a", 1);
        first.start();
        await().until(() -> state(failed) == JobState.DEAD);

        order(AfterFailure.CANCEL_REST);
        enqueue("a", 2);

        await().until(() -> List.of(2).equals(done.get("a")));
        assertThat(state(rest)).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void aFailedJobThatIsDiscardedLetsItsKeyGoOn() {
        order(AfterFailure.HOLD);
        long failing = enqueue("a", 0, "fails");
        enqueue("a", 1);
        first.start();
        await().until(() -> state(failing) == JobState.DEAD);

        first.admin().discard(failing);

        await().until(() -> List.of(1).equals(done.get("a")));
    }

    @Test
    void aJobThatWaitsLongIsSkippedWhenItIsCancelled() {
        order(AfterFailure.HOLD);
        long waiting = enqueue("a", 0, "waits long");
        long next = enqueue("a", 1);
        first.start();
        await().until(() -> state(waiting) == JobState.WAITING);
        assertThat(first.search().explain(next).orElseThrow().reasons())
                .anySatisfy(reason -> assertThat(reason.kind()).isEqualTo(Kind.KEY_HELD));

        first.admin().cancel(waiting);

        await().until(() -> List.of(1).equals(done.get("a")));
    }

    @Test
    void aJobThatHasBegunHoldsUpItsKeyAlsoWhenItIsRescheduled() {
        order(AfterFailure.HOLD);
        long waiting = enqueue("a", 0, "waits long");
        first.start();
        await().until(() -> state(waiting) == JobState.WAITING);

        first.admin().reschedule(waiting, Duration.ofHours(2));
        long next = enqueue("a", 1);
        enqueue("b", 0);

        await().until(() -> done.containsKey("b"));
        assertThat(first.search().explain(next).orElseThrow().reasons())
                .anySatisfy(reason -> assertThat(reason.kind()).isEqualTo(Kind.KEY_HELD));
        first.admin().runNow(waiting);
        await().until(() -> List.of(0, 1).equals(done.get("a")));
    }

    @Test
    void theRestIsCancelledWhereThatIsAskedForAndWhatComesLaterRuns() {
        order(AfterFailure.CANCEL_REST);
        long failing = enqueue("a", 0, "fails");
        long second = enqueue("a", 1);
        long third = enqueue("a", 2);
        first.start();

        await().until(() -> state(second) == JobState.CANCELLED && state(third) == JobState.CANCELLED);
        enqueue("a", 3);

        await().until(() -> List.of(3).equals(done.get("a")));
        assertThat(state(failing)).isEqualTo(JobState.DEAD);
    }

    @Test
    void aRedrivenJobIsNotCancelledBecauseALaterOneOfItsKeyHasFailed() {
        order(AfterFailure.CANCEL_REST);
        long redriven = enqueue("a", 0, "fails", "throws");
        first.start();
        await().until(() -> state(redriven) == JobState.DEAD);
        long later = enqueue("a", 1, "fails");
        await().until(() -> state(later) == JobState.DEAD);

        first.admin().redrive(redriven);

        await().until(() -> List.of(0).equals(done.get("a")));
    }

    @Test
    void aJobThatCannotBeCancelledKeepsNoOtherKey() {
        Rooms rooms = Rooms.in(database);
        order(AfterFailure.CANCEL_REST);
        long failing = enqueue("refused", 0, "fails");
        long refused = enqueue("refused", 1);
        rooms.execute("""
                CREATE FUNCTION rowlock.refuse() RETURNS trigger LANGUAGE plpgsql AS $$
                BEGIN
                    RAISE EXCEPTION 'refused' USING ERRCODE = '23514';
                END $$""");
        rooms.execute("CREATE TRIGGER refuse BEFORE INSERT ON rowlock.done FOR EACH ROW WHEN (NEW.id = " + refused
                + ") EXECUTE FUNCTION rowlock.refuse()");
        first.start();
        await().until(() -> state(failing) == JobState.DEAD);

        long rest = enqueueTogether("b", new Book("b", 0, List.of("fails")), new Book("b", 1, List.of()))[1];
        await().until(() -> state(rest) == JobState.CANCELLED);
        enqueue("b", 2);
        enqueue("c", 0);

        await().until(() -> List.of(2).equals(done.get("b")) && List.of(0).equals(done.get("c")));
        assertThat(state(refused)).isEqualTo(JobState.READY);
    }

    private void order(AfterFailure afterFailure) {
        first.limits().set(QueueLimit.of("default").inOrder(afterFailure));
    }

    private JobState state(long id) {
        return first.search().find(id).orElseThrow().state();
    }

    private long enqueue(String account, int number, String... attempts) {
        return first.jobs().enqueue(new Book(account, number, List.of(attempts)), o -> o.key(account));
    }

    /** The first one may have failed before a later one comes, which is then not of its rest. */
    private long[] enqueueTogether(String account, Book... books) {
        return first.jobs().enqueueAll(List.of(books), JobOptions.NONE.key(account));
    }
}
