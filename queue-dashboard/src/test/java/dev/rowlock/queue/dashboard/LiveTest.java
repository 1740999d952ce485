package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.Report;
import dev.rowlock.queue.dashboard.live.CountedStatements;
import dev.rowlock.queue.dashboard.live.LiveFeed;
import dev.rowlock.queue.dashboard.live.LostViewers;
import dev.rowlock.queue.dashboard.live.QuickFeed;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.TestConfiguration;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;

/** What viewers see come, and what that costs the database. */
@DashboardTest
@Import({LiveTest.Counting.class, QuickFeed.class})
class LiveTest {

    private static final int VIEWERS = 100;

    private static final int ROUNDS = 10;

    @TestConfiguration(proxyBeanMethods = false)
    static class Counting {
        @Bean
        static CountedStatements countedStatements() {
            return new CountedStatements();
        }
    }

    private final HttpClient client = HttpClient.newHttpClient();
    private final int port;
    private final LiveFeed feed;
    private final CountedStatements statements;
    private final JobTemplate jobs;
    private final JobAdmin admin;
    private final ServletWebServerApplicationContext context;
    private final List<Watcher> watchers = new ArrayList<>();

    LiveTest(
            @LocalServerPort int port,
            @Autowired LiveFeed feed,
            @Autowired CountedStatements statements,
            @Autowired JobTemplate jobs,
            @Autowired JobAdmin admin,
            @Autowired ServletWebServerApplicationContext context) {
        this.port = port;
        this.feed = feed;
        this.statements = statements;
        this.jobs = jobs;
        this.admin = admin;
        this.context = context;
    }

    @AfterEach
    void leave() {
        watchers.forEach(Watcher::close);
    }

    /** For tests that count: a viewer who has gone is noticed when the feed writes to it, seconds later. */
    private void awaitEndOfOtherTests() {
        await().atMost(Duration.ofSeconds(60)).until(() -> LostViewers.nobodyLooks(feed));
    }

    @Test
    void aHundredViewersCostTwoStatementsASecondAndNobodyCostsNone() {
        awaitEndOfOtherTests();
        long job = jobs.enqueue(new Report("watched"));
        for (int i = 0; i < VIEWERS; i++) {
            watch(i % 2 == 0 ? "" : "?job=" + (job + i / 2));
        }
        await().until(() ->
                feed.viewers() == VIEWERS && watchers.stream().allMatch(watcher -> watcher.seen.contains("queues")));

        long begun = System.nanoTime();
        long asked = askedIn(QuickFeed.ROUND.multipliedBy(ROUNDS));
        long rounds = Duration.ofNanos(System.nanoTime() - begun).dividedBy(QuickFeed.ROUND) + 1;
        watchers.forEach(Watcher::close);
        await().until(() -> LostViewers.nobodyLooks(feed));
        long askedByNobody = askedIn(QuickFeed.ROUND.multipliedBy(ROUNDS));

        // Two a round, each with its time limit in front.
        assertThat(asked).isBetween(3L, 2 * 2 * rounds);
        assertThat(LiveFeed.ROUND).isEqualTo(Duration.ofSeconds(1));
        assertThat(askedByNobody).isZero();
    }

    private long askedIn(Duration time) {
        int before = statements.count();
        long end = System.nanoTime() + time.toNanos();
        await().atMost(time.plusSeconds(5)).pollInterval(Duration.ofMillis(20)).until(() -> System.nanoTime() > end);
        return statements.count() - before;
    }

    @Test
    void aViewerWhoComesLaterSeesAtOnceWhatIsKnown() {
        Watcher first = watch("");
        await().until(() -> first.seen.containsAll(Set.of("queues", "nodes", "pauses", "actions")));

        Watcher second = watch("");

        await().until(() -> second.seen.containsAll(Set.of("queues", "nodes", "pauses", "actions")));
    }

    @Test
    void aPauseComesByItself() {
        Watcher watcher = watch("");
        await().until(() -> watcher.seen.contains("pauses"));

        admin.by("bob", null).pause("elsewhere");

        await().until(() -> watcher.text().contains("\"elsewhere\""));
        admin.resume("elsewhere");
    }

    @Test
    void figuresComeAgainAfterAnErrorOfTheDriver() {
        Watcher watcher = watch("");
        await().until(() -> watcher.seen.contains("pauses"));

        statements.breakFeed(true);
        await().until(() -> watcher.seen.contains("trouble"));
        statements.breakFeed(false);
        admin.by("bob", null).pause("repaired");

        await().until(() -> watcher.text().contains("\"repaired\""));
        admin.resume("repaired");
    }

    @Test
    void whoLooksAtAJobSeesItsStateAndNoPayload() {
        long job = jobs.enqueue(new Report("secret-name"), o -> o.delay(Duration.ofHours(1)));
        Watcher watcher = watch("?job=" + job);
        await().until(() -> watcher.text().contains("\"waiting\""));

        admin.cancel(job);

        await().until(() -> watcher.text().contains("\"cancelled\""));
        assertThat(watcher.text()).doesNotContain("secret-name");
    }

    /** A browser that reads nothing: what it misses is replaced, and others see everything. */
    @Test
    void aViewerWhoDoesNotReadHoldsUpNobody() throws Exception {
        HttpResponse<InputStream> stuck = client.send(request(""), HttpResponse.BodyHandlers.ofInputStream());
        Watcher other = watch("");

        await().until(() -> other.seen.containsAll(Set.of("queues", "nodes", "pauses", "actions")));

        stuck.body().close();
    }

    @Test
    void nothingStaysOfViewersWhoAreCutOff() throws Exception {
        awaitEndOfOtherTests();
        try (LostViewers lost = new LostViewers(feed, context, PlainApplication.LEVEL)) {
            lost.comeAndGo();
        }
    }

    @Test
    void aUserWhoOpensHundredsOfStreamsLeavesOthersTheirs() throws Exception {
        awaitEndOfOtherTests();
        for (int i = 0; i < 200; i++) {
            watch("");
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> feed.viewers() == 200);

        HttpResponse<InputStream> oneMore = client.send(request(""), HttpResponse.BodyHandlers.ofInputStream());
        HttpResponse<InputStream> bobs = client.send(request("", "bob"), HttpResponse.BodyHandlers.ofInputStream());

        assertThat(oneMore.statusCode()).isEqualTo(503);
        assertThat(bobs.statusCode()).isEqualTo(200);
        bobs.body().close();
    }

    private Watcher watch(String query) {
        Watcher watcher = new Watcher();
        watchers.add(watcher);
        client.sendAsync(request(query), HttpResponse.BodyHandlers.ofInputStream())
                .thenAccept(watcher::read);
        return watcher;
    }

    private HttpRequest request(String query) {
        return request(query, "ann");
    }

    private HttpRequest request(String query, String name) {
        return HttpRequest.newBuilder(URI.create("http://localhost:%d/rowlock/api/live%s".formatted(port, query)))
                .header(PlainApplication.LEVEL, "read_only")
                .header(PlainApplication.NAME, name)
                .build();
    }

    /** One open stream. */
    private static final class Watcher {

        final Set<String> seen = ConcurrentHashMap.newKeySet();
        private final StringBuffer text = new StringBuffer();
        private InputStream stream = InputStream.nullInputStream(); // guarded by this
        private boolean closed; // guarded by this; the answer may come afterwards

        void read(HttpResponse<InputStream> response) {
            open(response.body());
            Thread reader = new Thread(() -> {
                try (var lines = new java.io.BufferedReader(new java.io.InputStreamReader(response.body()))) {
                    lines.lines().forEach(line -> {
                        text.append(line).append('\n');
                        if (line.startsWith("event: ")) {
                            seen.add(line.substring("event: ".length()));
                        }
                    });
                } catch (java.io.IOException | java.io.UncheckedIOException e) {
                    // The test has closed it.
                }
            });
            reader.setDaemon(true);
            reader.start();
        }

        String text() {
            return text.toString();
        }

        private synchronized void open(InputStream body) {
            stream = body;
            if (closed) {
                close();
            }
        }

        synchronized void close() {
            closed = true;
            try {
                stream.close();
            } catch (java.io.IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
        }
    }
}
