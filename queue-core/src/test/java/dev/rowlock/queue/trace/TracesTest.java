package dev.rowlock.queue.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.rowlock.queue.JobRequest;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.Rowlock;
import dev.rowlock.queue.chunk.ChunkResult;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.RetryPolicy;
import dev.rowlock.queue.job.SnoozeException;
import dev.rowlock.queue.schedule.Overlap;
import dev.rowlock.queue.schedule.RecurringJob;
import dev.rowlock.queue.schedule.Schedule;
import dev.rowlock.queue.spi.ErrorRedactor;
import dev.rowlock.queue.test.postgres.TestDatabase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.opentelemetry.sdk.trace.data.SpanData;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A trace goes from a request through its jobs, by parent or by link. */
class TracesTest extends TracingTest {

    TracesTest(TestDatabase database) {
        super(database);
    }

    @Test
    void aTraceGoesFromTheRequestThroughTheJobToWhatTheJobEnqueues() {
        JobTemplate jobs = jobs();
        Rowlock[] worker = new Rowlock[1];
        worker[0] = opened(node.rowlock(pool)
                .listener(Order.class, (order, job) -> {
                    throwAtFirst(job);
                    worker[0].jobs().enqueue(new Mail("ada@example.com"));
                })
                .listener(Mail.class, (mail, job) -> heard.add(mail.to())));
        worker[0].start();

        long id = web.request(() -> jobs.enqueue(new Order(7)));

        SpanData request = span("http post /orders");
        SpanData send = span("send orders");
        List<SpanData> attempts = spans("process orders", 2);
        SpanData follower = span("send mail");
        SpanData mail = span("process mail");
        assertChild(send, request);
        assertChild(attempts.get(0), send);
        assertLinked(attempts.get(1), send);
        assertChild(follower, attempts.get(1));
        assertChild(mail, follower);
        assertThat(exporter.getFinishedSpanItems()).hasSize(6);

        assertThat(Stream.of(send, attempts.get(0), attempts.get(1), follower, mail))
                .extracting(span -> tag(span, "messaging.message.conversation_id"))
                .containsOnly(request.getTraceId());
        assertThat(Stream.of(send, attempts.get(0), attempts.get(1)))
                .extracting(span -> tag(span, "messaging.message.id"))
                .containsOnly(Long.toString(id));
        assertThat(attempts)
                .extracting(span -> tag(span, "rowlock.job.attempt"))
                .containsExactly("1", "2");
        assertThat(attempts)
                .extracting(span -> tag(span, "rowlock.job.outcome"))
                .containsExactly("retried", "completed");
        assertThat(tag(send, "rowlock.job.outcome")).isEqualTo("created");
        assertThat(tag(send, "messaging.client.id")).isEqualTo("web");
        assertThat(tag(mail, "messaging.client.id")).isEqualTo("node");
        assertThat(tag(mail, "messaging.destination.name")).isEqualTo("mail");
        assertThat(tag(mail, "rowlock.job.type")).isEqualTo("Mail");
        assertThat(send.getKind().name()).isEqualTo("PRODUCER");
        assertThat(mail.getKind().name()).isEqualTo("CONSUMER");
        assertThat(attempts.get(0).getEvents().toString()).contains("out of stock");
        assertThat(attempts.get(1).getEvents()).isEmpty();
        assertThat(headers(id)).containsOnlyKeys("traceparent");
    }

    @Test
    void aJobOfANodeThatDiedBeginsATraceWithALink() {
        JobTemplate jobs = jobs();
        jobs.enqueue(new Order(7));
        claimForADeadNode();

        started(node.rowlock(pool).listener(Order.class, (order, job) -> {}));

        SpanData attempt = span("process orders");
        assertLinked(attempt, span("send orders"));
        assertThat(tag(attempt, "rowlock.job.outcome")).isEqualTo("completed");
    }

    @Test
    void anEnqueueThatIsRolledBackLeavesItsSpanAndNoJob() {
        JobTemplate jobs = jobs();

        web.request(() -> new TransactionTemplate(new JdbcTransactionManager(pool)).execute(transaction -> {
            transaction.setRollbackOnly();
            return jobs.enqueue(new Order(7));
        }));

        assertThat(tag(span("send orders"), "rowlock.job.outcome")).isEqualTo("created");
        assertThat(span("http post /orders").getTraceId())
                .isEqualTo(span("send orders").getTraceId());
        assertThat(sql.sql("SELECT count(*) FROM rowlock.job").query(Long.class).single())
                .isZero();
    }

    @Test
    void linesOfTheLogHaveTheTraceOfTheAttemptAndNothingStaysOnTheThread() {
        JobTemplate jobs = jobs();
        started(node.rowlock(pool)
                .listener(
                        Order.class,
                        o -> o.concurrency(1),
                        (order, job) -> heard.add(MDC.get("traceId") + " " + MDC.get("rowlock.job.id"))));

        long id = web.request(() -> jobs.enqueue(new Order(7)));
        long other = jobs.enqueue(new Order(8));

        List<SpanData> attempts = spans("process orders", 2);
        assertThat(heard)
                .containsExactly(
                        attempts.get(0).getTraceId() + " " + id, attempts.get(1).getTraceId() + " " + other);
        assertThat(attempts.get(0).getTraceId()).isNotEqualTo(attempts.get(1).getTraceId());
    }

    @Test
    void aSnoozedJobStaysInItsTraceAsLongAsItIsYoung() {
        JobTemplate jobs = jobs();
        started(node.rowlock(pool).listener(Order.class, (order, job) -> {
            heard.add("call");
            if (heard.size() == 1) {
                throw new SnoozeException(Duration.ofMillis(10));
            }
        }));

        jobs.enqueue(new Order(7));

        List<SpanData> attempts = spans("process orders", 2);
        assertThat(attempts)
                .extracting(span -> tag(span, "rowlock.job.outcome"))
                .containsExactly("snoozed", "completed");
        assertThat(attempts).allSatisfy(attempt -> assertChild(attempt, span("send orders")));
        assertThat(attempts.get(0).getEvents()).isEmpty();
    }

    @Test
    void aJobThatStartsLateOrAgainBeginsATraceWithALink() {
        TracedProcess strict = new TracedProcess("node", exporter, Duration.ofMillis(50));
        JobTemplate jobs = jobs();
        Rowlock worker = started(strict.rowlock(pool)
                .retry(RetryPolicy.DEFAULT.maxRetries(0))
                .listener(Order.class, (order, job) -> {
                    heard.add("call");
                    if (heard.size() == 1) {
                        throw new IllegalStateException("no");
                    }
                }));

        long id = jobs.enqueue(new Order(7), o -> o.delay(Duration.ofMillis(100)));
        Awaitility.await().until(() -> worker.search().find(id).orElseThrow().state() == JobState.DEAD);
        worker.admin().redrive(id);

        assertThat(spans("process orders", 2))
                .allSatisfy(attempt -> assertLinked(attempt, span("send orders")))
                .extracting(SpanData::getTraceId)
                .doesNotHaveDuplicates();
    }

    @Test
    void aBulkCallIsOneSpanWhoseContextEachJobCarries() {
        JobTemplate jobs = jobs();
        started(node.rowlock(pool).listener(Order.class, (order, job) -> {}));

        jobs.enqueueAll(List.of(new Order(1), new Order(2), new Order(3)));

        SpanData send = span("send orders");
        assertThat(tag(send, "messaging.batch.message_count")).isEqualTo("3");
        assertThat(spans("process orders", 3)).allSatisfy(attempt -> assertChild(attempt, send));
    }

    @Test
    void aCallWithAChunkBeginsATraceWithALinkToEachOrigin() {
        JobTemplate jobs = jobs();
        jobs.enqueueAll(List.of(new Order(1), new Order(2)));
        jobs.enqueue(new Order(3));
        started(node.rowlock(pool)
                .chunkListener(
                        Order.class,
                        o -> o.batch(3).linger(Duration.ofSeconds(10)),
                        chunk -> ChunkResult.ALL_COMPLETED));

        SpanData call = span("process orders");

        assertLinked(call, spans("send orders", 2).toArray(SpanData[]::new));
        assertThat(tag(call, "messaging.batch.message_count")).isEqualTo("3");
        assertThat(tag(call, "rowlock.job.outcome")).isEqualTo("completed");
        assertThat(tag(call, "messaging.message.id")).isNull();
    }

    @Test
    void whatACallerSetsWins() {
        String own = "00-11111111111111111111111111111111-2222222222222222-01";

        long id = jobs().enqueue(new Order(7), o -> o.header("traceparent", own).header("conversation-id", "order-7"));

        assertThat(headers(id)).isEqualTo(Map.of("traceparent", own, "conversation-id", "order-7"));
        assertThat(tag(span("send orders"), "messaging.message.conversation_id"))
                .isEqualTo("order-7");
    }

    @Test
    void baggageReachesEachAttempt() {
        JobTemplate jobs = jobs();
        started(node.rowlock(pool).listener(Order.class, (order, job) -> {
            heard.add("" + node.tracer.getBaggage("tenant").get());
            throwAtFirst(job);
        }));

        web.request(() -> {
            try (var baggage = web.tracer.createBaggageInScope("tenant", "blue")) {
                return jobs.enqueue(new Order(7));
            }
        });

        spans("process orders", 2);
        assertThat(heard).containsExactly("blue", "blue");
    }

    @Test
    void eachRunOfARecurringJobIsATraceOfItsOwn() {
        Rowlock worker = started(node.rowlock(pool).listener(Order.class, (order, job) -> {}));

        node.request(() -> {
            worker.recurringJobs()
                    .create(RecurringJob.of("orders", Schedule.cron("0 0 0 1 1 *"), new Order(7))
                            .overlap(Overlap.ALLOW));
            worker.recurringJobs().runNow("orders");
            return worker.recurringJobs().runNow("orders");
        });

        assertThat(spans("process orders", 2))
                .allSatisfy(run -> {
                    assertThat(run.getParentSpanId()).isEqualTo(NO_PARENT);
                    assertThat(run.getLinks()).isEmpty();
                })
                .extracting(SpanData::getTraceId)
                .doesNotHaveDuplicates();
    }

    @Test
    void anEnqueueThatFailsIsAnErrorOfItsSpan() {
        JobTemplate jobs = jobs();

        assertThatThrownBy(() -> jobs.enqueueAll(
                        Stream.of(JobRequest.of(new Order(1)), JobRequest.of(new Mail("x".repeat(2 << 20))))))
                .isNotNull();

        SpanData send = span("send");
        assertThat(send.getStatus().getStatusCode().name()).isEqualTo("ERROR");
        assertThat(tag(send, "rowlock.job.outcome")).isEqualTo("none");
        assertThat(tag(send, "messaging.destination.name")).isEqualTo("none");
    }

    @Test
    void whatRedactorsTakeOutLeavesByNoSpan() {
        JobTemplate jobs = jobs();
        started(node.rowlock(pool)
                .redactor(ErrorRedactor.replacing(Pattern.compile("[0-9]{16}"), "****"))
                .listener(Order.class, (order, job) -> {
                    throw new IllegalStateException("card 4111111111111111");
                }));

        jobs.enqueue(new Order(7));

        assertThat(spans("process orders", 2))
                .allSatisfy(attempt -> assertThat(
                                attempt.getEvents().toString() + attempt.getStatus() + attempt.getAttributes())
                        .contains("java.lang.IllegalStateException: card ****")
                        .doesNotContain("4111"));
    }

    @Test
    void aHandlerOfObservationsThatThrowsCostsNoJob() {
        for (TracedProcess process : List.of(web, node)) {
            process.registry.observationConfig().observationHandler(new ObservationHandler<>() {
                @Override
                public void onStart(Observation.Context context) {
                    throw new IllegalStateException("broken");
                }

                @Override
                public void onStop(Observation.Context context) {
                    throw new IllegalStateException("broken");
                }

                @Override
                public boolean supportsContext(Observation.Context context) {
                    return true;
                }
            });
        }
        JobTemplate jobs = jobs();
        Rowlock worker = started(node.rowlock(pool).listener(Order.class, (order, job) -> {}));

        long id = jobs.enqueue(new Order(7));

        Awaitility.await().until(() -> worker.search().find(id).orElseThrow().state() == JobState.COMPLETED);
    }

    @Test
    void observationsThatAreSwitchedOffWriteNoHeaders() {
        web.registry.observationConfig().observationPredicate((name, context) -> !name.startsWith("rowlock"));

        long id = web.request(() -> jobs().enqueue(new Order(7)));

        assertThat(headers(id)).isEmpty();
        assertThat(named("send orders")).isEmpty();
    }
}
