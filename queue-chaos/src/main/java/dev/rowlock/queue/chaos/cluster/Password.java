package dev.rowlock.queue.chaos.cluster;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The password of the application's role, and the file in which its processes find it. */
final class Password {

    private final Database database;
    private final Path file;

    /** @param data the server's folder, which says who may log in how */
    Password(Database database, Path data, Path file) {
        this.database = database;
        this.file = file;
        change("secret");
        try {
            Path rules = data.resolve("pg_hba.conf");
            List<String> others = Files.readAllLines(rules);
            Files.writeString(rules, "host all app 127.0.0.1/32 scram-sha-256\n" + String.join("\n", others) + "\n");
        } catch (IOException e) {
            throw new UncheckedIOException("cannot say who needs a password", e);
        }
        database.sql().sql("SELECT pg_reload_conf()").query().singleValue();
    }

    void change(String secret) {
        run("ALTER ROLE app PASSWORD '%s'".formatted(secret));
        try {
            Files.writeString(file, secret);
        } catch (IOException e) {
            throw new UncheckedIOException("cannot write " + file, e);
        }
    }

    private void run(String statement) {
        database.sql().sql(statement).update();
    }
}
