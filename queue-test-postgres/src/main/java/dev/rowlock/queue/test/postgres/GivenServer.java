package dev.rowlock.queue.test.postgres;

import java.util.Properties;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;
import org.postgresql.PGProperty;

/** A server that somebody else started and will stop, known by its JDBC URL. */
final class GivenServer implements PostgresServer {

    private final String url;
    private final Properties properties;

    GivenServer(String url) {
        @Nullable Properties parsed = Driver.parseURL(url, new Properties());
        if (parsed == null) {
            throw new IllegalArgumentException(
                    "-D%s=%s: not a URL that the PostgreSQL driver understands; try jdbc:postgresql://host:port/database?user=…&password=…"
                            .formatted(Selection.SERVER, url.replaceFirst("\\?.*", "?…")));
        }
        this.url = url;
        this.properties = parsed;
    }

    @Override
    public String jdbcUrl(String database) {
        // The database is what follows the last slash, or the last colon of the short form jdbc:postgresql:database.
        int query = url.indexOf('?');
        String address = query < 0 ? url : url.substring(0, query);
        int name = Math.max(address.lastIndexOf('/'), address.lastIndexOf(':')) + 1;
        return address.substring(0, name) + database + (query < 0 ? "" : otherParameters(url.substring(query + 1)));
    }

    /** All but the user and the password, which are handed out apart and shall not be logged. */
    private static String otherParameters(String parameters) {
        return Stream.of(parameters.split("&"))
                .filter(parameter -> !parameter.startsWith("user=") && !parameter.startsWith("password="))
                .reduce("", (all, parameter) -> all + (all.isEmpty() ? "?" : "&") + parameter);
    }

    @Override
    public String username() {
        return property(PGProperty.USER, System.getProperty("user.name"));
    }

    @Override
    public String password() {
        return property(PGProperty.PASSWORD, "");
    }

    @Override
    public String homeDatabase() {
        return property(PGProperty.PG_DBNAME, "postgres");
    }

    private String property(PGProperty property, String otherwise) {
        return properties.getProperty(property.getName(), otherwise);
    }

    @Override
    public void close() {
        // Not ours to stop.
    }
}
