package dev.rowlock.queue;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.internal.db.Rooms;
import dev.rowlock.queue.job.JobOptions;
import dev.rowlock.queue.job.UniqueKey;
import dev.rowlock.queue.payload.JacksonPayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.json.JsonMapper;

@PostgresTest(migrated = true)
class JobTemplateTest {

    record SendMail(String to) {}

    @JobType(value = "ship-order", queue = "shipping")
    record ShipOrder(int order) {}

    record Picture(String bytes) {}

    record Stubborn(int number) {
        public int getBroken() {
            throw new IllegalStateException("no");
        }
    }

    private final Rooms rooms;
    private final RecordedWakeups wakeups = new RecordedWakeups();
    private final JobTemplate jobs;

    JobTemplateTest(TestDatabase database) {
        rooms = Rooms.emptyIn(database);
        jobs = new JobTemplate(
                rooms.database(),
                new JacksonPayloadCodec(JsonMapper.builder().build()),
                1_000,
                type -> type.equals("Picture") ? "pictures" : null,
                wakeups);
    }

    // What lands where

    @Test
    void aJobIsReadyAtOnceUnlessItsOptionsSayOtherwise() {
        long id = jobs.enqueue(new SendMail("a@example.org"));

        assertThat(rooms.look(id))
                .containsEntry("state", "ready")
                .containsEntry("type", "SendMail")
                .containsEntry("queue", "default")
                .containsEntry("priority", 0)
                .containsEntry("max_retries", null)
                .containsEntry("timeout_millis", null)
                .containsEntry("headers", null)
                .hasEntrySatisfying(
                        "payload", payload -> assertThat(payload).hasToString("{\"to\":\"a@example.org\"}"));
    }

    @Test
    void everyOptionIsStoredWithTheJob() {
        long id = jobs.enqueue(
                new SendMail("a@example.org"),
                o -> o.queue("bulk")
                        .priority(7)
                        .maxRetries(3)
                        .timeout(Duration.ofSeconds(20))
                        .headers(Map.of("trace", "abc"))
                        .delay(Duration.ofHours(1)));

        assertThat(rooms.look(id))
                .containsEntry("state", "waiting")
                .containsEntry("reason", "scheduled")
                .containsEntry("queue", "bulk")
                .containsEntry("priority", 7)
                .containsEntry("max_retries", 3)
                .containsEntry("timeout_millis", 20_000L)
                .hasEntrySatisfying("headers", headers -> assertThat(headers).hasToString("{\"trace\":\"abc\"}"));
    }

    @Test
    void theQueueComesFromTheOptionThenThePayloadThenTheListenerThenTheDefault() {
        assertThat(queueOf(jobs.enqueue(new ShipOrder(1), o -> o.queue("express"))))
                .isEqualTo("express");
        assertThat(queueOf(jobs.enqueue(new ShipOrder(1)))).isEqualTo("shipping");
        assertThat(queueOf(jobs.enqueue(new Picture("")))).isEqualTo("pictures");
        assertThat(queueOf(jobs.enqueue(new SendMail("")))).isEqualTo("default");
    }

    @Test
    void aDelayOfZeroSkipsTheWaitingRoomAndAnInstantInThePastIsDueAtOnce() {
        long now = jobs.enqueue(new SendMail(""), o -> o.delay(Duration.ZERO));
        long past = jobs.enqueue(new SendMail(""), o -> o.runAt(Instant.parse("2020-01-01T00:00:00Z")));

        assertThat(rooms.roomsOf(now)).containsExactly("ready");
        assertThat(rooms.roomsOf(past)).containsExactly("waiting");
        assertThat(rooms.truth("SELECT due_at < statement_timestamp() FROM rowlock.waiting"))
                .isTrue();
    }

    @Test
    void everyEnqueueMethodFollowsTheOptionsOfARequest() {
        JobRequest request = JobRequest.of(
                new SendMail("a@example.org"), o -> o.queue("bulk").header("k", "v"));
        Object disguised = request;

        long[] ids = {jobs.enqueue(request), jobs.enqueue(disguised), jobs.enqueueAll(List.of(request))[0]};

        assertThat(LongStream.of(ids).mapToObj(rooms::look))
                .allSatisfy(row -> assertThat(row)
                        .containsEntry("type", "SendMail")
                        .containsEntry("queue", "bulk")
                        .hasEntrySatisfying(
                                "headers", headers -> assertThat(headers).hasToString("{\"k\":\"v\"}")));
    }

    @Test
    void aRequestTakesNoFurtherOptionsAndNullIsRefused() {
        JobRequest request = JobRequest.of(new SendMail(""));

        refused("brings its own options", () -> jobs.enqueue(request, o -> o.priority(1)));
        refused("brings its own options", () -> jobs.enqueueAll(List.of(request), JobOptions.NONE.priority(1)));
        refused("brings its own options", () -> JobRequest.of(request));
        refused("no payload", () -> jobs.enqueue((Object) null));
        refused("no payload", () -> jobs.enqueueAll(Arrays.asList(new SendMail(""), null)));
        refused("options are null", () -> jobs.enqueue(new SendMail(""), (JobOptions) null));
        refused("queue name is null", () -> jobs.enqueue(new SendMail(""), o -> o.queue(null)));
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void aJobHasOneUniqueKeyAndItIsNamedOnce() {
        UniqueKey mine = UniqueKey.of("mine");

        refused("'mine'", () -> jobs.enqueueUnique(new SendMail(""), mine, o -> o.unique("other")));
        refused(
                "'mine'",
                () -> jobs.enqueueUnique(new SendMail(""), mine, o -> o.unique(mine.atLeast(Duration.ofHours(1)))));
        assertThat(jobs.enqueueUnique(new SendMail(""), mine, o -> o.unique("mine"))
                        .created())
                .isTrue();
    }

    private static void refused(String words, ThrowingCallable call) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContaining(words);
    }

    // Many

    @Test
    void idsComeInTheOrderOfThePayloads() {
        List<SendMail> mails = IntStream.range(0, 2_500)
                .mapToObj(i -> new SendMail(Integer.toString(i)))
                .toList();

        long[] ids = jobs.enqueueAll(mails);

        assertThat(rooms.sql("SELECT payload ->> 'to' FROM rowlock.ready ORDER BY id")
                        .query(String.class)
                        .list())
                .isEqualTo(mails.stream().map(SendMail::to).toList());
        assertThat(ids).isSorted().hasSize(2_500);
    }

    @Test
    void idsComeInTheOrderOfTheStreamAlsoWhenSomeJobsWait() {
        Stream<JobRequest> mixed = IntStream.range(0, 10)
                .mapToObj(i -> JobRequest.of(
                        new SendMail(Integer.toString(i)), o -> i % 3 == 0 ? o.delay(Duration.ofDays(1)) : o));
        List<Long> ids = new ArrayList<>();

        long count = jobs.enqueueAll(mixed, ids::add);

        assertThat(count).isEqualTo(10);
        assertThat(ids.stream()
                        .map(id -> rooms.sql("SELECT payload ->> 'to' FROM rowlock.job_details WHERE id = " + id)
                                .query(String.class)
                                .single())
                        .toList())
                .containsExactly("0", "1", "2", "3", "4", "5", "6", "7", "8", "9");
        assertThat(rooms.count("waiting")).isEqualTo(4);
    }

    @Test
    void aStreamIsWrittenInChunksAndReadOnlyOnce() {
        List<Long> ids = new ArrayList<>();
        AtomicBoolean closed = new AtomicBoolean();
        int[] ahead = {0};
        Stream<JobRequest> stream = IntStream.range(0, 5_000)
                .mapToObj(i -> {
                    ahead[0] = Math.max(ahead[0], i - ids.size());
                    return JobRequest.of(new SendMail(Integer.toString(i)));
                })
                .onClose(() -> closed.set(true));

        long count = jobs.enqueueAll(stream, ids::add);

        assertThat(count).isEqualTo(5_000);
        assertThat(ahead[0]).as("jobs held in memory").isLessThanOrEqualTo(JobTemplate.CHUNK_JOBS);
        assertThat(closed).isTrue();
        assertThat(rooms.count("ready")).isEqualTo(5_000);
    }

    @Test
    void largePayloadsMakeChunksOfFewerJobs() {
        JobTemplate roomy = new JobTemplate(
                rooms.database(),
                new JacksonPayloadCodec(JsonMapper.builder().build()),
                1 << 20,
                type -> null,
                wakeups);
        Picture large = new Picture("x".repeat(900_000));
        List<Long> ids = new ArrayList<>();
        int[] ahead = {0};

        roomy.enqueueAll(
                IntStream.range(0, 12).mapToObj(i -> {
                    ahead[0] = Math.max(ahead[0], i - ids.size());
                    return JobRequest.of(large);
                }),
                ids::add);

        assertThat(ahead[0]).isLessThan(6);
        assertThat(rooms.count("ready")).isEqualTo(12);
    }

    @Test
    void nothingToEnqueueIsNoError() {
        assertThat(jobs.enqueueAll(List.of())).isEmpty();
        assertThat(jobs.enqueueAll(Stream.empty())).isZero();
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void aStreamThatFailsInTheMiddleLeavesNothing() {
        Stream<JobRequest> stream = IntStream.range(0, 5_000).mapToObj(i -> {
            if (i == 4_321) {
                throw new IllegalStateException("line 4321 is unreadable");
            }
            return JobRequest.of(new SendMail(""));
        });

        assertThatThrownBy(() -> jobs.enqueueAll(stream)).hasMessage("line 4321 is unreadable");
        assertThat(rooms.count("ready")).isZero();
        assertThat(wakeups.heard()).isEmpty();
    }

    @Test
    void aStreamThatFailsWithAnUndeclaredCheckedExceptionLeavesNothing() {
        Stream<JobRequest> stream = IntStream.range(0, 5_000).mapToObj(i -> {
            if (i == 4_321) {
                throw sneaky(new IOException("the file ended"));
            }
            return JobRequest.of(new SendMail(""));
        });

        assertThatThrownBy(() -> jobs.enqueueAll(stream)).isInstanceOf(IOException.class);
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void onePayloadThatDoesNotFitLeavesNothingOfTheWholeCall() {
        List<Record> payloads = new ArrayList<>(List.of(new SendMail("fits"), new SendMail("fits too")));
        payloads.add(new Picture("x".repeat(2_000)));

        assertThatThrownBy(() -> jobs.enqueueAll(payloads)).isInstanceOf(PayloadTooLargeException.class);
        assertThat(rooms.count("ready")).isZero();
    }

    // Errors

    @Test
    void aPayloadOverTheLimitIsRefusedWithItsSize() {
        assertThatThrownBy(() -> jobs.enqueue(new Picture("x".repeat(989))))
                .isInstanceOf(PayloadTooLargeException.class)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'Picture' has 1001 bytes")
                .hasMessageContaining("1000");
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void theLimitCountsBytesNotCharacters() {
        // 11 characters of JSON around the text; each é has two bytes.
        jobs.enqueue(new Picture("é".repeat(494)));

        assertThatThrownBy(() -> jobs.enqueue(new Picture("é".repeat(495))))
                .isInstanceOf(PayloadTooLargeException.class);
        assertThat(rooms.count("ready")).isEqualTo(1);
    }

    @Test
    void aPayloadThatDoesNotSerializeIsRefusedByName() {
        assertThatThrownBy(() -> jobs.enqueue(new Stubborn(1)))
                .isInstanceOf(PayloadException.class)
                .hasMessageContaining(Stubborn.class.getName())
                .hasMessageContaining(".broken")
                .hasMessageContaining("IllegalStateException from")
                .hasCauseInstanceOf(IllegalStateException.class);
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void valuesThatAreNotAllowedAreRefusedByName() {
        SendMail mail = new SendMail("");

        assertThatThrownBy(() -> jobs.enqueue(mail, o -> o.delay(Duration.ofSeconds(-1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("-1s");
        assertThatThrownBy(() -> jobs.enqueue(mail, o -> o.queue("no spaces")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("'no spaces'");
        assertThatThrownBy(() -> jobs.enqueue(mail, o -> o.priority(1_001)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("1001");
        assertThat(rooms.count("ready")).isZero();
    }

    @Test
    void aClassWithoutUsableNameIsRefused() {
        Object anonymous = new Object() {
            public int getNumber() {
                return 1;
            }
        };

        assertThatThrownBy(() -> jobs.enqueue(anonymous))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("@JobType");
    }

    // Wake-ups

    @Test
    void workersHearOfEachQueueOnceWithItsMostUrgentRank() {
        jobs.enqueueAll(Stream.of(
                JobRequest.of(new SendMail("")),
                JobRequest.of(new SendMail(""), o -> o.priority(9)),
                JobRequest.of(new ShipOrder(1)),
                JobRequest.of(new SendMail(""), o -> o.delay(Duration.ofMinutes(3))),
                JobRequest.of(new SendMail(""), o -> o.delay(Duration.ofMinutes(2)))));

        assertThat(wakeups.heard())
                .hasSize(3)
                .contains("2 ready in default from rank -9", "1 ready in shipping from rank 0")
                .anyMatch(heard -> heard.matches("waiting PT1M5\\d.*"));
    }

    @Test
    void optionsMayBeSharedByManyJobs() {
        long[] ids = jobs.enqueueAll(List.of(new SendMail("a"), new SendMail("b")), JobOptions.NONE.priority(3));

        assertThat(LongStream.of(ids))
                .allSatisfy(id -> assertThat(rooms.look(id)).containsEntry("priority", 3));
    }

    private @Nullable Object queueOf(long id) {
        return rooms.look(id).get("queue");
    }

    @SuppressWarnings("unchecked")
    private static <E extends Throwable> RuntimeException sneaky(Throwable thrown) throws E {
        throw (E) thrown;
    }
}
