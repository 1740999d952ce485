package dev.rowlock.queue.dashboard.web;

import dev.rowlock.queue.dashboard.access.AccessLevel;
import dev.rowlock.queue.dashboard.access.DashboardAccess;
import dev.rowlock.queue.dashboard.access.DashboardUser;
import dev.rowlock.queue.dashboard.api.Operations;
import dev.rowlock.queue.dashboard.api.call.Json;
import dev.rowlock.queue.dashboard.api.call.Problem;
import dev.rowlock.queue.dashboard.live.LiveFeed;
import dev.rowlock.queue.dashboard.web.Assets.Asset;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.http.server.RequestPath;
import org.springframework.web.HttpRequestHandler;
import org.springframework.web.util.ServletRequestPathUtils;

/**
 * Answers every request below the dashboard's path. In this order: who is it, may he or she look at all, does the request come from our own page, is there such
 * a file or operation, may this user call it.
 */
public final class Dashboard implements HttpRequestHandler {

    private static final String API = "/api/";
    private static final String LIVE = "/api/live";

    private final String path;
    private final Gatekeeper gatekeeper;
    private final boolean open;
    private final Assets assets = new Assets();
    private final ApiCalls calls;
    private final LiveFeed live;

    /**
     * @param path where it is mounted
     * @param access null: nobody gets in
     * @param payloads the level that sees payloads
     */
    public Dashboard(
            String path, @Nullable DashboardAccess access, Operations operations, AccessLevel payloads, LiveFeed live) {
        this.path = path;
        this.gatekeeper = new Gatekeeper(access);
        this.open = access != null;
        this.calls = new ApiCalls(operations, payloads);
        this.live = live;
    }

    @Override
    public void handleRequest(HttpServletRequest request, HttpServletResponse response) throws IOException {
        Headers.set(response);
        String asked = asked(request);
        DashboardUser user = gatekeeper.user(request);
        if (!user.level().reaches(AccessLevel.READ_ONLY)) {
            refuse(response, 403, open ? NOT_YOU : NOBODY);
        } else if (asked.startsWith(API)) {
            api(asked.substring(API.length()), user, request, response);
        } else {
            file(asked, request, response);
        }
    }

    private static final String NOT_YOU = "You may not see this dashboard. The application decides who may.";
    private static final String NOBODY =
            "Nobody may see this dashboard yet: the application has no bean of type DashboardAccess. Its log says how to give it one.";

    /** As the browser has sent it: what is encoded is no name of ours, and finds nothing. */
    private String asked(HttpServletRequest request) {
        RequestPath whole = ServletRequestPathUtils.hasParsedRequestPath(request)
                ? ServletRequestPathUtils.getParsedRequestPath(request)
                : ServletRequestPathUtils.parseAndCache(request);
        return whole.pathWithinApplication().value().substring(path.length());
    }

    private void api(String asked, DashboardUser user, HttpServletRequest request, HttpServletResponse response)
            throws IOException {
        String refusal = CrossSite.refusal(request, !reads(request));
        if (refusal != null) {
            answer(response, 403, Map.of("error", refusal));
        } else if (LIVE.endsWith("/" + asked)) {
            live(user, request, response);
        } else {
            try {
                answer(response, 200, calls.run(asked, user, request));
            } catch (Problem e) {
                answer(response, e.status(), Map.of("error", e.text()));
            }
        }
    }

    private void live(DashboardUser user, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!request.getMethod().equals("GET")) {
            answer(response, 405, Map.of("error", "there is only GET"));
        } else if (!request.isAsyncSupported()) {
            answer(
                    response,
                    501,
                    Map.of("error", "a filter of this application does not support asynchronous requests"));
        } else {
            live.join(user.name(), request, response);
        }
    }

    private void file(String asked, HttpServletRequest request, HttpServletResponse response) throws IOException {
        if (!reads(request)) {
            response.setHeader("Allow", "GET, HEAD");
            refuse(response, 405, "There is only GET here.");
        } else if (asked.isEmpty()) {
            // The page's own addresses are relative to this slash. So is this one, whatever prefix a proxy puts in
            // front.
            response.setStatus(302);
            response.setHeader("Location", "./" + path.substring(path.lastIndexOf('/') + 1) + "/");
        } else {
            send(asked.equals("/") ? Assets.PAGE : asked.substring(1), request, response);
        }
    }

    private void send(String name, HttpServletRequest request, HttpServletResponse response) throws IOException {
        Asset asset = assets.find(name);
        if (asset == null) {
            refuse(response, 404, "There is no such page.");
            return;
        }
        if (!name.equals(Assets.PAGE)) {
            // Asked for each time, sent only when it has changed.
            response.setHeader("Cache-Control", "private, no-cache");
            response.setHeader("ETag", asset.tag());
            if (asset.tag().equals(request.getHeader("If-None-Match"))) {
                response.setStatus(304);
                return;
            }
        }
        write(response, 200, asset.type(), asset.content());
    }

    private static boolean reads(HttpServletRequest request) {
        return request.getMethod().equals("GET") || request.getMethod().equals("HEAD");
    }

    private static void refuse(HttpServletResponse response, int status, String text) throws IOException {
        write(response, status, "text/plain;charset=UTF-8", text.getBytes(StandardCharsets.UTF_8));
    }

    private static void answer(HttpServletResponse response, int status, @Nullable Object answer) throws IOException {
        write(response, status, "application/json", Json.write(answer));
    }

    /** Of a HEAD the server leaves out the content. */
    private static void write(HttpServletResponse response, int status, String type, byte[] content)
            throws IOException {
        response.setStatus(status);
        response.setContentType(type);
        response.setContentLength(content.length);
        response.getOutputStream().write(content);
    }
}
