package dev.rowlock.queue.test.postgres;

import java.util.OptionalInt;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Which PostgreSQL the tests use, and why.
 *
 * <ul>
 *   <li>{@code rowlock.test.postgres}: {@code container}, {@code embedded} or the JDBC URL of a running server, whose
 *       user is a superuser. Without it: a container where a Docker engine answers, else embedded.
 *   <li>{@code rowlock.test.postgres.version}: 14 to 18. Selects the container's image and, through the profiles of the
 *       parent pom, the embedded binaries. A server of another version is an error.
 *   <li>{@code rowlock.test.postgres.image}: the container's image, by default {@code postgres:<version>}.
 * </ul>
 *
 * @param kind what runs the server
 * @param target the container's image, the JDBC URL, or nothing
 * @param version the major version that the server must have, if one was asked for
 * @param reason for people who wonder why their Docker engine was not used
 */
record Selection(Kind kind, String target, OptionalInt version, String reason) {

    static final String SERVER = "rowlock.test.postgres";
    static final String VERSION = "rowlock.test.postgres.version";
    static final String IMAGE = "rowlock.test.postgres.image";

    private static final int OLDEST = 14;
    private static final int NEWEST = 18;
    private static final String URL_PREFIX = "jdbc:postgresql:";

    enum Kind {
        CONTAINER("in a container"),
        EMBEDDED("embedded"),
        URL("given");

        private final String words;

        Kind(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }
    }

    /**
     * @param properties finds a system property, or null
     * @param engineAnswers asked only if nobody chose, because asking takes a second
     */
    static Selection of(UnaryOperator<@Nullable String> properties, BooleanSupplier engineAnswers) {
        OptionalInt version = version(properties.apply(VERSION));
        String image = properties.apply(IMAGE);
        String server = properties.apply(SERVER);
        if (server == null) {
            return engineAnswers.getAsBoolean()
                    ? container(image, version, "a Docker engine answers")
                    : embedded(image, version, "no Docker engine answers");
        }
        String reason = "-D%s says so".formatted(SERVER);
        if (server.equals("container")) {
            return container(image, version, reason);
        }
        if (server.equals("embedded")) {
            return embedded(image, version, reason);
        }
        if (server.startsWith(URL_PREFIX)) {
            rejectImage(image, "a given server");
            return new Selection(Kind.URL, server, version, reason);
        }
        throw new IllegalArgumentException(
                "-D%s=%s: must be container, embedded or a URL that begins with %s; leave it out to let the machine decide"
                        .formatted(SERVER, server, URL_PREFIX));
    }

    private static Selection container(@Nullable String image, OptionalInt version, String reason) {
        String target = image != null ? image : "postgres:" + version.orElse(NEWEST);
        return new Selection(Kind.CONTAINER, target, version, reason);
    }

    private static Selection embedded(@Nullable String image, OptionalInt version, String reason) {
        rejectImage(image, "an embedded server (" + reason + ")");
        return new Selection(Kind.EMBEDDED, "", version, reason);
    }

    private static void rejectImage(@Nullable String image, String server) {
        if (image != null) {
            throw new IllegalArgumentException("-D%s=%s: only containers have an image, and the tests would use %s"
                    .formatted(IMAGE, image, server));
        }
    }

    private static OptionalInt version(@Nullable String text) {
        if (text == null) {
            return OptionalInt.empty();
        }
        if (text.matches("\\d{2}")) {
            int version = Integer.parseInt(text);
            if (version >= OLDEST && version <= NEWEST) {
                return OptionalInt.of(version);
            }
        }
        throw new IllegalArgumentException(
                "-D%s=%s: must be a major version of PostgreSQL that Rowlock supports, %d to %d"
                        .formatted(VERSION, text, OLDEST, NEWEST));
    }

    /** Throws if the server is not of the version that was asked for. */
    void requireVersion(int actual) {
        if (version.isPresent() && version.getAsInt() != actual) {
            throw new IllegalStateException("-D%s=%d, but the server is PostgreSQL %d: %s"
                    .formatted(VERSION, version.getAsInt(), actual, remedy()));
        }
    }

    private String remedy() {
        return switch (kind) {
            case CONTAINER -> "image '%s' does not fit, change -D%s".formatted(target, IMAGE);
            case EMBEDDED -> "the embedded binaries are chosen by Maven; pass the version on its command line";
            case URL -> "give another URL or leave the version out";
        };
    }
}
