package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.JobSearch;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.JobType;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.gate.Admission;
import dev.rowlock.queue.gate.AdmissionPolicy;
import dev.rowlock.queue.gate.AdmissionRequest;
import dev.rowlock.queue.gate.AfterFailure;
import dev.rowlock.queue.gate.BlockedKey;
import dev.rowlock.queue.gate.Limited;
import dev.rowlock.queue.gate.QueueLimit;
import dev.rowlock.queue.gate.QueueLimits;
import dev.rowlock.queue.gate.Rate;
import dev.rowlock.queue.gate.WaitingJob;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.job.JobState;
import dev.rowlock.queue.job.SlowDownException;
import dev.rowlock.queue.search.Explanation.Kind;
import dev.rowlock.queue.search.JobFilter;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import java.lang.reflect.Proxy;
import java.net.http.HttpHeaders;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/gates.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class GatesExamplesTest {

    private static final Logger log = LoggerFactory.getLogger(GatesExamplesTest.class);

    record Import(String file) {}

    @JobType(value = "sync-account", queue = "accounts", key = "accountId")
    record SyncAccount(String accountId) {}

    @Configuration(proxyBeanMethods = false)
    static class Application {

        final List<String> begun = new CopyOnWriteArrayList<>();
        final CountDownLatch mayEnd = new CountDownLatch(1);

        @JobListener(queue = "imports")
        void run(Import file, JobContext job) throws InterruptedException {
            begun.add(job.key().orElseThrow());
            mayEnd.await();
        }

        @JobListener
        void sync(SyncAccount account, JobContext job) {
            begun.add(account.accountId() + " " + job.key().orElseThrow());
        }
    }

    private final ApplicationContextRunner contexts;

    GatesExamplesTest(TestDatabase database) {
        contexts = Contexts.on(database).withUserConfiguration(Application.class);
    }

    @Test
    void aLimitOfTheConfigurationHolds() {
        contexts.withPropertyValues(
                        "rowlock.queues.imports.max-running=3", "rowlock.queues.imports.max-running-per-key=1")
                .run(context -> {
                    JobTemplate jobs = context.getBean(JobTemplate.class);
                    QueueLimits limits = context.getBean(QueueLimits.class);
                    Application application = context.getBean(Application.class);
                    await().until(() -> limits.all()
                            .equals(List.of(
                                    QueueLimit.of("imports").maxRunning(3).maxRunningPerKey(1))));

                    IntStream.range(0, 5).forEach(i -> {
                        jobs.enqueue(
                                new Import("prices.csv"),
                                o -> o.queue("imports").key("tenant-7"));
                        jobs.enqueue(
                                new Import("stock.csv"), o -> o.queue("imports").key("tenant-8"));
                    });

                    await().until(() -> application.begun.size() == 2);
                    assertThat(application.begun).containsExactlyInAnyOrder("tenant-7", "tenant-8");
                    assertThat(context.getBean(JobSearch.class)
                                    .count(JobFilter.where().key("tenant-7"), 100)
                                    .jobs())
                            .isEqualTo(5);
                    application.mayEnd.countDown();
                    await().until(() -> application.begun.size() == 10);
                });
    }

    @Test
    void idlePlacesAreBorrowed() {
        contexts.withPropertyValues(
                        "rowlock.queues.imports.concurrency=20",
                        "rowlock.queues.imports.max-running=20",
                        "rowlock.queues.imports.max-running-per-key=2",
                        "rowlock.queues.imports.burst-per-key=10")
                .run(context -> {
                    JobTemplate jobs = context.getBean(JobTemplate.class);
                    QueueLimits limits = context.getBean(QueueLimits.class);
                    Application application = context.getBean(Application.class);
                    await().until(() -> limits.all()
                            .equals(List.of(QueueLimit.of("imports")
                                    .maxRunning(20)
                                    .maxRunningPerKey(2)
                                    .burstPerKey(10))));

                    IntStream.range(0, 20)
                            .forEach(i -> jobs.enqueue(
                                    new Import("prices.csv"),
                                    o -> o.queue("imports").key("tenant-7")));
                    await().until(() -> application.begun.size() == 10);
                    IntStream.range(0, 5)
                            .forEach(i -> jobs.enqueue(
                                    new Import("stock.csv"),
                                    o -> o.queue("imports").key("tenant-8")));

                    await().until(() -> application.begun.size() == 15);
                    application.mayEnd.countDown();
                    await().until(() -> application.begun.size() == 25);
                });
    }

    @Test
    void theKeyComesFromThePayload() {
        contexts.run(context -> {
            context.getBean(JobTemplate.class).enqueue(new SyncAccount("a-1"));

            Application application = context.getBean(Application.class);
            await().until(() -> application.begun.contains("a-1 a-1"));
        });
    }

    @Test
    void ratesAndOrderComeFromTheConfiguration() {
        contexts.withPropertyValues(
                        "rowlock.queues.mail.rate=100/min",
                        "rowlock.queues.mail.rate-per-key=5/s burst 20",
                        "rowlock.queues.accounts.in-order=hold",
                        "rowlock.queues.other.in-order=cancel-rest",
                        "rowlock.worker.allow-unknown-queues=true")
                .run(context -> {
                    QueueLimits limits = context.getBean(QueueLimits.class);
                    await().until(() -> limits.all()
                            .equals(List.of(
                                    QueueLimit.of("accounts").inOrder(AfterFailure.HOLD),
                                    QueueLimit.of("mail")
                                            .rate(Rate.perMinute(100))
                                            .ratePerKey(Rate.perSecond(5).burst(20)),
                                    QueueLimit.of("other").inOrder(AfterFailure.CANCEL_REST))));
                });
    }

    record BookEntry(String account, int amount) {}

    interface Ledger {
        void insert(List<BookEntry> entries);
    }

    @Configuration(proxyBeanMethods = false)
    static class Books {

        private final Ledger ledger = entries -> {};

        @Limited(ratePerKey = "5/s burst 20", inOrder = "hold")
        @JobListener(queue = "accounts")
        void book(BookEntry entry) {
            ledger.insert(List.of(entry));
        }
    }

    @Test
    void aListenerLimitsItsQueue() {
        contexts.withUserConfiguration(Books.class).run(context -> {
            QueueLimits limits = context.getBean(QueueLimits.class);
            await().until(() -> limits.all()
                    .equals(List.of(QueueLimit.of("accounts")
                            .ratePerKey(Rate.perSecond(5).burst(20))
                            .inOrder(AfterFailure.HOLD))));
        });
    }

    @Test
    void aRateThatIsNoneFailsTheStart() {
        contexts.withPropertyValues("rowlock.queues.mail.rate=fast")
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessage(
                                        "'fast' is no rate: write '10/s', '100/min', '5/15s' or '100/min burst 20'; units are ms, s, min, h and d"));
        contexts.withPropertyValues("rowlock.queues.mail.in-order=hold", "rowlock.queues.mail.max-running-per-key=2")
                .run(context -> assertThat(context)
                        .getFailure()
                        .rootCause()
                        .hasMessage("jobs of a key cannot run in order and 2 at once: remove one of the two"));
        contexts.withPropertyValues("rowlock.queues.mail.max-running-per-key=2", "rowlock.queues.mail.burst-per-key=2")
                .run(
                        context -> assertThat(context)
                                .getFailure()
                                .rootCause()
                                .hasMessage(
                                        "a burst per key of 2 is not allowed: it must be more than the limit per key, which is 2"));
    }

    @Test
    void whoIsRefusedSlowsDownTheOthers() {
        contexts.withUserConfiguration(Calls.class)
                .withPropertyValues("rowlock.queues.partner.rate=1000/s")
                .run(context -> {
                    JobTemplate jobs = context.getBean(JobTemplate.class);
                    QueueLimits limits = context.getBean(QueueLimits.class);
                    await().until(() -> !limits.all().isEmpty());
                    long refused = jobs.enqueue(new CallPartner("/refused"));
                    JobSearch search = context.getBean(JobSearch.class);
                    await().until(() -> search.find(refused).orElseThrow().state() == JobState.WAITING);

                    long next = jobs.enqueue(new CallPartner("/next"));

                    assertThat(search.explain(next).orElseThrow().reasons())
                            .anySatisfy(reason -> assertThat(reason.kind()).isEqualTo(Kind.RATE));
                });
    }

    record CallPartner(String path) {}

    @Configuration(proxyBeanMethods = false)
    static class Calls {

        private final Partner partner = call -> answer();

        @JobListener(queue = "partner")
        void call(CallPartner call) {
            HttpResponse<String> answer = partner.send(call);
            if (answer.statusCode() == 429) {
                throw new SlowDownException(Duration.ofSeconds(
                        answer.headers().firstValueAsLong("Retry-After").orElse(30)));
            }
        }

        @SuppressWarnings("unchecked")
        private static HttpResponse<String> answer() {
            HttpHeaders headers = HttpHeaders.of(Map.of("Retry-After", List.of("3600")), (name, value) -> true);
            return (HttpResponse<String>) Proxy.newProxyInstance(
                    Calls.class.getClassLoader(),
                    new Class<?>[] {HttpResponse.class},
                    (self, method, arguments) -> method.getName().equals("statusCode") ? (Object) 429 : headers);
        }
    }

    interface Partner {
        HttpResponse<String> send(CallPartner call);
    }

    @Test
    void limitsAreSetAndRemovedAtRunTime() {
        contexts.run(context -> {
            QueueLimits limits = context.getBean(QueueLimits.class);
            limits.weight("imports", "tenant-7", 3);
            assertThat(limits.weights("imports")).containsExactly(Map.entry("tenant-7", 3));
            limits.set(QueueLimit.of("accounts").inOrder(AfterFailure.HOLD));

            for (BlockedKey blocked : limits.blockedKeys("accounts", 100)) {
                log.warn(
                        "key {} waits for job {}: {}, {}",
                        blocked.key(),
                        blocked.jobId(),
                        blocked.state(),
                        blocked.at());
            }
            int skipped = limits.by("ann", "the account is closed").skip("accounts", "account-7");
            assertThat(skipped).isZero();
            limits.remove("accounts");

            limits.by("ann", "the partner is slow today").change("imports", limit -> limit.maxRunning(5));
            limits.remove("imports");
            assertThat(limits.find("imports")).isEmpty();

            limits.set(QueueLimit.of("imports").maxRunningPerKey(2).burstPerKey(10));
            assertThat(limits.all())
                    .containsExactly(
                            QueueLimit.of("imports").maxRunningPerKey(2).burstPerKey(10));
            limits.remove("imports");

            assertThat(limits.all()).isEmpty();
        });
    }

    record Render(String scene) {}

    interface Farm {
        int freeSeats();
    }

    @Configuration(proxyBeanMethods = false)
    static class Farms {

        final AtomicInteger seats = new AtomicInteger();
        final List<String> rendered = new CopyOnWriteArrayList<>();

        @Bean
        AdmissionPolicy freeSeatsFirst() {
            return new FreeSeats(seats::get);
        }

        @JobListener(queue = "render")
        void render(Render render) {
            rendered.add(render.scene());
            seats.decrementAndGet();
        }
    }

    record FreeSeats(Farm farm) implements AdmissionPolicy {

        @Override
        public String queue() {
            return "render";
        }

        @Override
        public Admission admit(AdmissionRequest request) {
            int seats = Math.min(request.room(), farm.freeSeats() - request.chosen() - request.running());
            if (seats <= 0) {
                return Admission.nothingFor(Duration.ofMillis(200));
            }
            return Admission.of(request.jobs().stream()
                    .sorted(Comparator.comparing(job -> job.headers().getOrDefault("premiere", "none")))
                    .limit(seats)
                    .map(WaitingJob::id)
                    .toList());
        }
    }

    @Test
    void aPolicyOfTheApplicationDecidesWhatRunsNext() {
        contexts.withUserConfiguration(Farms.class).run(context -> {
            JobTemplate jobs = context.getBean(JobTemplate.class);
            Farms farms = context.getBean(Farms.class);
            long later = jobs.enqueue(new Render("later"), o -> o.header("premiere", "2031-01-01"));
            jobs.enqueue(new Render("sooner"), o -> o.header("premiere", "2030-01-01"));
            JobSearch search = context.getBean(JobSearch.class);
            await().until(() -> search.explain(later).orElseThrow().reasons().stream()
                    .anyMatch(reason -> reason.kind() == Kind.POLICY));
            assertThat(farms.rendered).isEmpty();

            farms.seats.set(1);

            await().until(() -> !farms.rendered.isEmpty());
            assertThat(farms.rendered).containsExactly("sooner");
            assertThat(context.getBean(QueueLimits.class).all()).isEmpty();
            farms.seats.set(1);
            await().until(() -> farms.rendered.size() == 2);
        });
    }
}
