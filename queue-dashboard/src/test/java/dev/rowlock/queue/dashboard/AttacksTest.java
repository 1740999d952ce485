package dev.rowlock.queue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.web.server.LocalServerPort;

/** What people who mean harm try over HTTP. Scripts in what jobs carry are tried in a browser. */
@DashboardTest
class AttacksTest {

    private final int port;
    private final Http http;

    AttacksTest(@LocalServerPort int port) {
        this.port = port;
        this.http = new Http("http://localhost:%d/rowlock".formatted(port));
    }

    private static final String PAUSE = "{\"name\": \"mail\"}";

    @ParameterizedTest
    @ValueSource(strings = {"cross-site", "same-site", "none", "anything"})
    void aPostOfAnotherSiteIsRefused(String site) {
        HttpResponse<String> response =
                http.post("queues/pause", "admin", PAUSE, request -> request.header("Sec-Fetch-Site", site));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(http.json("pauses", "admin")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "https://evil.example",
                "null",
                "http://localhost:1",
                "http://localhost.evil.example",
                "http:// bad"
            })
    void aPostOfAnotherOriginIsRefused(String origin) {
        HttpResponse<String> response =
                http.post("queues/pause", "admin", PAUSE, request -> request.header("Origin", origin));

        assertThat(response.statusCode()).isEqualTo(403);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "text/plain",
                "application/x-www-form-urlencoded",
                "multipart/form-data; boundary=x",
                "application/jsonp",
                ""
            })
    void aFormCannotPost(String type) {
        HttpResponse<String> response =
                http.post("queues/pause", "admin", PAUSE, request -> request.setHeader("Content-Type", type));

        assertThat(response.statusCode()).isEqualTo(403);
    }

    @Test
    void aPostNeedsTheHeaderThatAFormCannotSend() {
        HttpResponse<String> response = http.send(http.request("/api/queues/pause")
                .header(PlainApplication.LEVEL, "admin")
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofString(PAUSE)));

        assertThat(response.statusCode()).isEqualTo(403);
        assertThat(response.body()).contains("X-Rowlock-Dashboard");
    }

    @Test
    void aPostOfOurOwnPageIsTakenDirectlyAndBehindAProxy() {
        HttpResponse<String> own = http.post(
                "queues/resume",
                "admin",
                PAUSE,
                request ->
                        request.header("Sec-Fetch-Site", "same-origin").header("Origin", "http://localhost:" + port));
        HttpResponse<String> proxied = http.post(
                "queues/resume",
                "admin",
                PAUSE,
                request -> request.header("Origin", "https://shop.example").header("X-Forwarded-Host", "shop.example"));

        assertThat(own.statusCode()).isEqualTo(200);
        assertThat(proxied.statusCode()).isEqualTo(200);
    }

    /** As nginx does it without settings: the server sees the name that the proxy has for it. The browser has compared the origins itself. */
    @Test
    void aPostOfOurOwnPageIsTakenBehindAProxyThatHidesTheHost() {
        HttpResponse<String> own = http.post(
                "queues/resume",
                "admin",
                PAUSE,
                request -> request.header("Sec-Fetch-Site", "same-origin").header("Origin", "https://shop.example"));
        HttpResponse<String> unknown =
                http.post("queues/resume", "admin", PAUSE, request -> request.header("Origin", "http://shop.example"));

        assertThat(own.statusCode()).isEqualTo(200);
        assertThat(unknown.statusCode()).isEqualTo(403);
        assertThat(unknown.body()).contains("Host", "X-Forwarded-Host");
    }

    @Test
    void anotherSiteReadsNothingAndGetsNoAnswerToItsPreflight() {
        HttpResponse<String> read = http.send(http.request("/api/jobs")
                .header(PlainApplication.LEVEL, "admin")
                .header("Sec-Fetch-Site", "cross-site"));
        HttpResponse<String> preflight = http.send(http.request("/api/queues/pause")
                .header(PlainApplication.LEVEL, "admin")
                .header("Origin", "https://evil.example")
                .header("Access-Control-Request-Method", "POST")
                .header("Access-Control-Request-Headers", "x-rowlock-dashboard")
                .method("OPTIONS", HttpRequest.BodyPublishers.noBody()));

        assertThat(read.statusCode()).isEqualTo(403);
        assertThat(preflight.headers().firstValue("Access-Control-Allow-Origin"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/", "/js/main.js", "/api/me", "/api/nothing", "/nothing", "/api/jobs?nothing=1"})
    void everyAnswerForbidsFramesInlineScriptsAndGuessing(String path) {
        var headers = http.get(path, "admin").headers();

        assertThat(headers.firstValue("Content-Security-Policy").orElseThrow())
                .contains("default-src 'none'", "script-src 'self';", "style-src 'self';", "frame-ancestors 'none'")
                .doesNotContain("unsafe");
        assertThat(headers.firstValue("X-Frame-Options")).contains("DENY");
        assertThat(headers.firstValue("X-Content-Type-Options")).contains("nosniff");
        assertThat(headers.firstValue("Referrer-Policy")).contains("no-referrer");
        assertThat(headers.firstValue("Cache-Control").orElseThrow())
                .isEqualTo(path.endsWith(".js") ? "private, no-cache" : "no-store");
    }

    @Test
    void refusalsHaveTheSameHeaders() {
        assertThat(http.get("/", "none").headers().firstValue("X-Frame-Options"))
                .contains("DENY");
    }

    /** Sent as they stand, past every client that would tidy them up. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "/rowlock/../application.yml",
                "/rowlock/js/../../../../application.yml",
                "/rowlock/%2e%2e/%2e%2e/application.yml",
                "/rowlock/..%2fapplication.yml",
                "/rowlock/js/..;/main.js",
                "/rowlock/js//main.js",
                "/rowlock//api/me",
                "/rowlock/api/me;x=y",
                "/rowlock/API/me",
                "/rowlock/api/me/",
                "/rowlock/api/jobs/%31",
                "/rowlock/api/jobs/0",
                "/rowlock/api/jobs/-1",
                "/rowlock/api/jobs/99999999999999999999",
                "/rowlock/api/jobs/1%00",
                "/rowlock/api/nodes/%31",
                "/rowlock/api/nodes/99999999999999999999",
                "/rowlock/js/pages/",
                "/rowlock/js",
                "/rowlock/index.html/../api/me"
            })
    void tricksWithPathsFindNothing(String path) throws IOException {
        String answer = raw("GET " + path + " HTTP/1.1", PlainApplication.LEVEL + ": admin");

        assertThat(answer).matches("(?s)HTTP/1.1 (400|404) .*").doesNotContain("spring:");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "queue=a&queue=b",
                "state=%27%20OR%201=1",
                "state=",
                "queue=%3Cscript%3E",
                "queu=mail",
                "before=1e3",
                "size=100000",
                "fingerprint=zz",
                "endedFrom=yesterday",
                "payload=%24.%5B",
                "header=x",
                "uniqueKey=a",
                "error=%00"
            })
    void tricksWithParametersAreRefusedAndSayWhy(String query) {
        HttpResponse<String> response = http.get("/api/jobs?" + query, "admin");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.headers().firstValue("Content-Type")).contains("application/json");
        assertThat(response.body()).contains("error").doesNotContain("Exception", "at dev.rowlock");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "schedules?after=a&after=b",
                "schedules?size=1000",
                "schedules?nam=nightly",
                "nodes/901?before=1e3",
                "nodes/901?before=0",
                "nodes/901?size=-1",
                "nodes/901?node=other"
            })
    void otherListsRefuseThemToo(String query) {
        HttpResponse<String> response = http.get("/api/" + query, "admin");

        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(response.body()).contains("error").doesNotContain("Exception", "at dev.rowlock");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "null",
                "[]",
                "{\"ids\": [1]}",
                "{\"ids\": [\"1; DROP TABLE job\"]}",
                "{\"ids\": []}",
                "{\"ids\": null}",
                "{\"ids\": [null]}",
                "{\"ids\": [\"1\"], \"more\": 1}",
                "{\"ids\": [\"1\"]} {}",
                "{\"ids\": [\"99999999999999999999\"]}"
            })
    void aBodyThatIsNotWhatItShouldBeIsRefused(String body) {
        HttpResponse<String> response = http.post("jobs/cancel", "admin", body);

        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(response.body()).doesNotContain("Exception", "dev.rowlock");
    }

    @Test
    void otherMethodsAreRefused() {
        for (String method : List.of("PUT", "DELETE", "PATCH", "TRACE")) {
            HttpResponse<String> response = http.send(http.request("/api/jobs")
                    .header(PlainApplication.LEVEL, "admin")
                    .header("X-Rowlock-Dashboard", "1")
                    .header("Content-Type", "application/json")
                    .method(method, HttpRequest.BodyPublishers.noBody()));
            assertThat(response.statusCode()).as(method).isEqualTo(405);
        }
        assertThat(http.get("/api/queues/pause", "admin").statusCode()).isEqualTo(405);
    }

    private String raw(String request, String header) throws IOException {
        try (Socket socket = new Socket("localhost", port)) {
            String text = request + "\r\nHost: localhost\r\nConnection: close\r\n" + header + "\r\n\r\n";
            socket.getOutputStream().write(text.getBytes(StandardCharsets.ISO_8859_1));
            try (InputStream in = socket.getInputStream()) {
                return new String(in.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
    }
}
