package dev.rowlock.queue.autoconfigure.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.rowlock.queue.JobListener;
import dev.rowlock.queue.autoconfigure.Contexts;
import dev.rowlock.queue.job.DoNotRetryException;
import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.test.postgres.PostgresTest;
import dev.rowlock.queue.test.postgres.TestDatabase;
import dev.rowlock.queue.workflow.StepCounts;
import dev.rowlock.queue.workflow.Workflow;
import dev.rowlock.queue.workflow.WorkflowDetails;
import dev.rowlock.queue.workflow.WorkflowState;
import dev.rowlock.queue.workflow.Workflows;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;

/** The examples of docs/workflows.md. */
@PostgresTest(freshPerTest = true, migrated = true)
class WorkflowsExamplesTest {

    private static final Logger log = LoggerFactory.getLogger(WorkflowsExamplesTest.class);

    record Reserve(int order) {}

    record Charge(int order) {}

    record Pack(int order) {}

    record Ship(int order) {}

    record Apologize(int order) {}

    record CloseBooks(String month) {}

    record SendInvoice(String customer) {}

    record SendSummary(String month) {}

    record AskSupplier(String supplier, String article) {}

    record ChooseSupplier(String article) {}

    record CrawlPage(String url) {}

    record ImportRow(int number) {}

    record SendReport(String of) {}

    record CallSomebody(String why) {}

    record Price(String supplier, int cents) {}

    static class Suppliers {
        Price ask(AskSupplier request) {
            return new Price(request.supplier(), request.supplier().length());
        }
    }

    static class Crawler {
        List<CrawlPage> read(String url) {
            return url.endsWith("/a/b") ? List.of() : List.of(new CrawlPage(url + (url.endsWith("/a") ? "/b" : "/a")));
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Orders {

        final List<String> ran = new CopyOnWriteArrayList<>();
        boolean cardRefused;

        @JobListener
        void reserve(Reserve step) {
            ran.add("reserve");
        }

        @JobListener
        void charge(Charge step) {
            if (cardRefused) {
                throw new DoNotRetryException("the card was refused");
            }
            ran.add("charge");
        }

        @JobListener(queue = "warehouse")
        void pack(Pack step) {
            ran.add("pack");
        }

        @JobListener
        void ship(Ship step) {
            ran.add("ship");
        }

        @JobListener
        void apologize(Apologize step) {
            ran.add("apologize");
        }

        @JobListener
        void close(CloseBooks step) {
            ran.add("close");
        }

        @JobListener
        void send(SendInvoice step) {
            ran.add("invoice");
        }

        @JobListener
        void send(SendSummary step) {
            ran.add("summary");
        }

        @JobListener
        void row(ImportRow row) {
            ran.add("row " + row.number());
        }

        @JobListener
        void report(SendReport report) {
            ran.add("report");
        }

        @JobListener
        void call(CallSomebody call) {
            ran.add("alarm");
        }
    }

    static class Shop {
        final Map<String, String> placed = new ConcurrentHashMap<>();

        void place(String article, Price price) {
            placed.put(article, price.supplier());
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Purchases {

        final Shop shop = new Shop();
        private final Suppliers suppliers = new Suppliers();
        private final Workflows workflows;

        Purchases(Workflows workflows) {
            this.workflows = workflows;
        }

        @JobListener(keepResult = true)
        Price quote(AskSupplier request) {
            return suppliers.ask(request);
        }

        @JobListener
        void choose(ChooseSupplier request, JobContext job) {
            List<Price> prices = workflows.results(job, "quotes", Price.class);
            shop.place(request.article(), cheapest(prices));
        }

        private static Price cheapest(List<Price> prices) {
            return prices.stream().min(Comparator.comparing(Price::cents)).orElseThrow();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Crawling {

        final List<String> crawled = new CopyOnWriteArrayList<>();
        private final Crawler crawler = new Crawler();
        private final Workflows workflows;

        Crawling(Workflows workflows) {
            this.workflows = workflows;
        }

        @JobListener
        void crawl(CrawlPage page, JobContext job) {
            List<CrawlPage> links = crawler.read(page.url());
            workflows.add(job, links);
        }

        @JobListener
        void report(SendReport report) {
            crawled.add(report.of());
        }
    }

    private final ApplicationContextRunner contexts;

    WorkflowsExamplesTest(TestDatabase database) {
        contexts = Contexts.on(database);
    }

    private void orders(BiConsumer<Workflows, Orders> test) {
        contexts.withUserConfiguration(Orders.class)
                .run(context -> test.accept(context.getBean(Workflows.class), context.getBean(Orders.class)));
    }

    private static long order(Workflows workflows) {
        long id = workflows.start(Workflow.named("order-17")
                .step("reserve", new Reserve(17))
                .step("charge", new Charge(17), s -> s.after("reserve"))
                .step("pack", new Pack(17), s -> s.after("reserve").job(o -> o.queue("warehouse")))
                .step("ship", new Ship(17), s -> s.after("charge", "pack"))
                .step("apologize", new Apologize(17), s -> s.afterFailure("charge", "pack", "ship")));
        return id;
    }

    private static WorkflowState ended(Workflows workflows, long id) {
        await().until(() -> workflows.find(id).orElseThrow().summary().endedAt() != null);
        return workflows.find(id).orElseThrow().summary().state();
    }

    @Test
    void anOrder() {
        orders((workflows, application) -> {
            long id = order(workflows);

            assertThat(ended(workflows, id)).isEqualTo(WorkflowState.COMPLETED);
            assertThat(application.ran).hasSize(4).startsWith("reserve").endsWith("ship");
            WorkflowDetails now = workflows.find(id).orElseThrow();
            StepCounts counts = now.counts();
            log.info("{} of {} jobs have completed, {} are dead", counts.completed(), counts.jobs(), counts.dead());
            StepCounts packing = now.step("pack").counts();
            log.info("{} of {} parcels are packed", packing.completed(), packing.jobs());
            assertThat(counts).isEqualTo(new StepCounts(0, 4, 0, 0, 1));
            assertThat(packing).isEqualTo(new StepCounts(0, 1, 0, 0, 0));
        });
    }

    @Test
    void anOrderThatFails() {
        orders((workflows, application) -> {
            application.cardRefused = true;

            long id = order(workflows);

            assertThat(ended(workflows, id)).isEqualTo(WorkflowState.FAILED);
            assertThat(application.ran).contains("apologize").doesNotContain("ship");
        });
    }

    @Test
    void anOrderThatIsCancelled() {
        contexts.run(context -> {
            Workflows workflows = context.getBean(Workflows.class);
            long id = order(workflows);

            workflows.cancel(id, "ada", "the customer called");

            assertThat(workflows.find(id).orElseThrow().summary().state()).isEqualTo(WorkflowState.CANCELLING);
        });
    }

    @Test
    void manyInvoices() {
        List<SendInvoice> customers = List.of(new SendInvoice("ada"), new SendInvoice("bob"), new SendInvoice("eve"));
        orders((workflows, application) -> {
            workflows.start(Workflow.named("invoices-2026-11")
                    .step("close-books", new CloseBooks("2026-11"))
                    .each("invoice", customers, s -> s.after("close-books"))
                    .step("summary", new SendSummary("2026-11"), s -> s.afterEnd("invoice")));

            await().until(() -> application.ran.size() == 5);
            assertThat(application.ran).startsWith("close").endsWith("summary");
        });
    }

    @Test
    void resultsOfOtherSteps() {
        contexts.withUserConfiguration(Purchases.class).run(context -> {
            Workflows workflows = context.getBean(Workflows.class);

            workflows.start(Workflow.named("purchase")
                    .each("quotes", List.of(new AskSupplier("far", "bolt"), new AskSupplier("nearby", "bolt")))
                    .step("choose", new ChooseSupplier("bolt"), s -> s.after("quotes")));

            Shop shop = context.getBean(Purchases.class).shop;
            await().until(() -> "far".equals(shop.placed.get("bolt")));
        });
    }

    static class Waiting {

        private final Workflows workflows;

        Waiting(Workflows workflows) {
            this.workflows = workflows;
        }

        WorkflowState run(Workflow workflow) throws InterruptedException {
            long id = workflows.start(workflow);
            WorkflowDetails ended = workflows.await(id, Duration.ofMinutes(5));
            return ended.summary().state();
        }

        CompletableFuture<WorkflowDetails> runLater(Workflow workflow) {
            return workflows.future(workflows.start(workflow), Duration.ofMinutes(5));
        }
    }

    @Test
    void theEndIsWaitedFor() {
        contexts.withUserConfiguration(Orders.class).run(context -> {
            Waiting waiting = new Waiting(context.getBean(Workflows.class));
            Workflow workflow = Workflow.named("reserve").step("reserve", new Reserve(17));

            assertThat(waiting.run(workflow)).isEqualTo(WorkflowState.COMPLETED);
            assertThat(waiting.runLater(workflow).join().counts().completed()).isEqualTo(1);
        });
    }

    @Test
    void jobsThatAddMore() {
        contexts.withUserConfiguration(Crawling.class).run(context -> {
            Workflows workflows = context.getBean(Workflows.class);

            long id = workflows.start(Workflow.named("crawl")
                    .step("pages", new CrawlPage("https://example.com"))
                    .step("report", new SendReport("crawl"), s -> s.after("pages")));

            assertThat(ended(workflows, id)).isEqualTo(WorkflowState.COMPLETED);
            assertThat(workflows.find(id).orElseThrow().counts().completed()).isEqualTo(4);
            assertThat(context.getBean(Crawling.class).crawled).containsExactly("crawl");
        });
    }

    @Test
    void anOpenBatch() {
        orders((workflows, application) -> {
            long id = workflows.start(Workflow.named("import")
                    .each("rows", List.of(), s -> s.open())
                    .step("report", new SendReport("import"), s -> s.after("rows"))
                    .step("alarm", new CallSomebody("import"), s -> s.afterFailure("rows")));
            workflows.add(id, "rows", List.of(new ImportRow(1), new ImportRow(2)));
            workflows.close(id, "rows");

            assertThat(ended(workflows, id)).isEqualTo(WorkflowState.COMPLETED);
            assertThat(application.ran).hasSize(3).endsWith("report");
        });
    }
}
