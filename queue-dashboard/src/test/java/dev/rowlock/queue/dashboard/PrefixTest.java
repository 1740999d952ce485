package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.rowlock.queue.JobAdmin;
import dev.rowlock.queue.JobTemplate;
import dev.rowlock.queue.dashboard.Handlers.SendMail;
import dev.rowlock.queue.test.browser.Browser;
import dev.rowlock.queue.test.postgres.LongRunning;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;

/** An application below a context path, with the dashboard at a path of its own, and a proxy in front that adds a prefix. */
@SpringBootTest(
        classes = PlainApplication.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "rowlock.dashboard.enabled=true",
            "rowlock.dashboard.path=/ops/jobs",
            "rowlock.worker.enabled=false",
            "server.servlet.context-path=/shop",
            "server.forward-headers-strategy=framework"
        })
class PrefixTest {

    private final int port;
    private final JobTemplate jobs;
    private final JobAdmin admin;

    PrefixTest(@LocalServerPort int port, @Autowired JobTemplate jobs, @Autowired JobAdmin admin) {
        this.port = port;
        this.jobs = jobs;
        this.admin = admin;
    }

    @Test
    void theAddressWithoutASlashLeadsToTheOneWithIt() {
        Http http = new Http("http://localhost:%d/shop/ops".formatted(port));

        HttpResponse<String> response = http.get("/jobs", "admin");

        assertThat(response.statusCode()).isEqualTo(302);
        assertThat(response.headers().firstValue("Location")).contains("./jobs/");
    }

    @Test
    void itWorksBelowAContextPath() {
        use("http://localhost:%d/shop/ops/jobs".formatted(port));
    }

    /** Whether the application hears of the prefix or not: no address is absolute. */
    @ParameterizedTest
    @LongRunning
    @CsvSource({"/intern/, true", "/a/b/c/, false"})
    void itWorksBehindAProxyThatAddsAPrefix(String prefix, boolean told) throws IOException {
        HttpServer proxy = proxy(prefix, told);
        try {
            use("http://localhost:%d%sops/jobs".formatted(proxy.getAddress().getPort(), prefix));
        } finally {
            proxy.stop(0);
        }
    }

    private void use(String base) {
        long job = jobs.enqueue(new SendMail("a@example.com", null));
        try (Browser browser = Browser.start(base)) {
            browser.cookie("level", "admin");
            browser.open("#/").go("/jobs?queue=mail");
            browser.awaitText("main", Long.toString(job));
            browser.click("button[data-all=cancel]");
            browser.awaitText("dialog h2", "Cancel: 1 job");
            browser.click("dialog [data-confirm]");
            browser.awaitText("dialog", "running: 0 of 1");
            browser.clickText("dialog button", "Stop");
            browser.awaitText("dialog", "cancelled: 0 of 1");
            browser.clickText("dialog button", "Close");
            assertThat(browser.driver().getCurrentUrl()).startsWith(base + "/#/jobs");
            browser.requireQuietConsole();
            browser.click("tbody input[type=checkbox]")
                    .click("button[data-chosen=cancel]")
                    .click("dialog [data-confirm]");
            browser.awaitText("#said", "cancelled");
            // It is told of live, and of nothing else.
            browser.open("?live#/audit");
            browser.await("live", d -> browser.text("#top .live").equals("Live"));
            admin.pause("elsewhere");
            browser.awaitText("#pauses", "Queue elsewhere paused");
            admin.resume("elsewhere");
            browser.await("it has gone", d -> browser.text("#pauses").isEmpty());
            browser.requireQuietConsole();
        }
    }

    /** Forwards {@code <prefix>…} to {@code /shop/…}. */
    private HttpServer proxy(String prefix, boolean told) throws IOException {
        HttpServer proxy = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
        proxy.setExecutor(Executors.newCachedThreadPool());
        HttpClient client = HttpClient.newHttpClient();
        proxy.createContext(prefix, exchange -> {
            String rest = exchange.getRequestURI().toString().substring(prefix.length());
            HttpRequest.Builder request = HttpRequest.newBuilder(
                            URI.create("http://localhost:%d/shop/%s".formatted(port, rest)))
                    .header("X-Forwarded-Host", exchange.getRequestHeaders().getFirst("Host"))
                    .method(
                            exchange.getRequestMethod(),
                            HttpRequest.BodyPublishers.ofByteArray(
                                    exchange.getRequestBody().readAllBytes()));
            exchange.getRequestHeaders().forEach((name, values) -> {
                if (!name.matches("(?i)host|connection|content-length|transfer-encoding|upgrade.*|expect")) {
                    values.forEach(value -> request.header(name, value));
                }
            });
            if (told) {
                request.header("X-Forwarded-Prefix", prefix.substring(0, prefix.length() - 1));
            }
            forward(client, request.build(), exchange);
        });
        proxy.start();
        return proxy;
    }

    private static void forward(HttpClient client, HttpRequest request, com.sun.net.httpserver.HttpExchange exchange) {
        try (exchange) {
            HttpResponse<java.io.InputStream> response =
                    client.send(request, HttpResponse.BodyHandlers.ofInputStream());
            response.headers().map().forEach((name, values) -> {
                if (!name.matches("(?i)content-length|transfer-encoding|connection|:status")) {
                    values.forEach(value -> exchange.getResponseHeaders().add(name, value));
                }
            });
            boolean empty = response.statusCode() == 304;
            exchange.sendResponseHeaders(response.statusCode(), empty ? -1 : 0);
            byte[] buffer = new byte[8192];
            for (int read = response.body().read(buffer);
                    read >= 0;
                    read = response.body().read(buffer)) {
                exchange.getResponseBody().write(buffer, 0, read);
                exchange.getResponseBody().flush();
            }
        } catch (IOException e) {
            // The browser has gone.
        } catch (InterruptedException e) {
            throw new UncheckedIOException(new IOException(e));
        }
    }
}
