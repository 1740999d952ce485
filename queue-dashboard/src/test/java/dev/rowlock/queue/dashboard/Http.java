package dev.rowlock.queue.dashboard;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.function.UnaryOperator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Speaks to a dashboard as its page does, or as somebody who means harm. */
final class Http {

    private final HttpClient client = HttpClient.newHttpClient();
    private final String base;

    Http(String base) {
        this.base = base;
    }

    HttpResponse<String> get(String path, String level) {
        return send(request(path).header(PlainApplication.LEVEL, level));
    }

    JsonNode json(String path, String level) {
        HttpResponse<String> response = get("/api/" + path, level);
        if (response.statusCode() != 200) {
            throw new AssertionError(path + ": " + response.statusCode() + " " + response.body());
        }
        return JsonMapper.shared().readTree(response.body());
    }

    HttpResponse<String> post(String path, String level, String body) {
        return post(path, level, body, request -> request);
    }

    HttpResponse<String> post(String path, String level, String body, UnaryOperator<HttpRequest.Builder> change) {
        return send(change.apply(request("/api/" + path)
                .header(PlainApplication.LEVEL, level)
                .setHeader("Content-Type", "application/json")
                .setHeader("X-Rowlock-Dashboard", "1")
                .POST(HttpRequest.BodyPublishers.ofString(body))));
    }

    HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(base + path));
    }

    HttpResponse<String> send(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
