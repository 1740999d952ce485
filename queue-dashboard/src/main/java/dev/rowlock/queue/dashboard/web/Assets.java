package dev.rowlock.queue.dashboard.web;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The page, its scripts and styles. Each file stands in this list, and a request must name one of them letter by letter: nothing of a path is ever resolved
 * against a folder.
 */
public final class Assets {

    /** Where they are on the class path. */
    public static final String FOLDER = "dev/rowlock/queue/dashboard/page/";

    /** The page itself: the answer to the dashboard's own address. */
    static final String PAGE = "index.html";

    /** All of them. */
    public static final List<String> NAMES = List.of(
            PAGE,
            "icon.svg",
            "dashboard.css",
            "js/main.js",
            "js/api.js",
            "js/dom.js",
            "js/show.js",
            "js/live.js",
            "js/act.js",
            "js/find.js",
            "js/keys.js",
            "js/list.js",
            "js/chart.js",
            "js/pages/overview.js",
            "js/pages/jobs.js",
            "js/pages/job.js",
            "js/pages/errors.js",
            "js/pages/schedules.js",
            "js/graph.js",
            "js/pages/workflows.js",
            "js/pages/gates.js",
            "js/pages/pauses.js",
            "js/pages/nodes.js",
            "js/pages/doctor.js",
            "js/pages/audit.js",
            "js/pages/actions.js");

    private static final Map<String, String> TYPES = Map.of(
            "html", "text/html;charset=UTF-8",
            "css", "text/css;charset=UTF-8",
            "js", "text/javascript;charset=UTF-8",
            "svg", "image/svg+xml");

    private final Map<String, Asset> all = new HashMap<>();

    /** @param tag changes with the content */
    record Asset(String type, byte[] content, String tag) {}

    Assets() {
        NAMES.forEach(name -> all.put(name, read(name)));
    }

    @Nullable
    Asset find(String name) {
        return all.get(name);
    }

    private static Asset read(String name) {
        try (InputStream stream = Assets.class.getClassLoader().getResourceAsStream(FOLDER + name)) {
            if (stream == null) {
                throw new IllegalStateException("the dashboard's file %s is not in its jar".formatted(name));
            }
            byte[] content = stream.readAllBytes();
            String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
            return new Asset(java.util.Objects.requireNonNull(type, name), content, '"' + digest(content) + '"');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String digest(byte[] content) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(content);
            return HexFormat.of().formatHex(hash, 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
