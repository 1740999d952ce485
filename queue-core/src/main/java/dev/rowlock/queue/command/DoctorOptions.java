package dev.rowlock.queue.command;

import java.util.Iterator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the arguments of {@link DoctorMain} say.
 *
 * @param user null: as the environment or the URL says
 */
record DoctorOptions(String url, String schema, @Nullable String user, boolean json) {

    static final String USAGE =
            "usage: DoctorMain --url jdbc:postgresql://host/database [--schema rowlock] [--user name] [--json]; the password comes from PGPASSWORD or ~/.pgpass";

    private static final String URLS = "jdbc:postgresql:";

    /** @throws IllegalArgumentException if they ask for nothing that there is; it does not repeat values, one of which may be a password */
    static DoctorOptions parse(List<String> arguments) {
        String url = "";
        String schema = "rowlock";
        String user = null;
        boolean json = false;
        for (Iterator<String> rest = arguments.iterator(); rest.hasNext(); ) {
            String option = rest.next();
            switch (option) {
                case "--json" -> json = true;
                case "--url" -> url = value(option, rest);
                case "--schema" -> schema = value(option, rest);
                case "--user" -> user = value(option, rest);
                default -> throw new IllegalArgumentException("there is no such option; " + USAGE);
            }
        }
        if (!url.startsWith(URLS)) {
            throw new IllegalArgumentException(
                    "--url must name a database of PostgreSQL and begin with %s; %s".formatted(URLS, USAGE));
        }
        return new DoctorOptions(url, schema, user, json);
    }

    private static String value(String option, Iterator<String> rest) {
        if (!rest.hasNext()) {
            throw new IllegalArgumentException("%s needs a value; %s".formatted(option, USAGE));
        }
        return rest.next();
    }
}
