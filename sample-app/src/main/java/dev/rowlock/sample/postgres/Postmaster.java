package dev.rowlock.sample.postgres;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The running server of a data folder, as its file {@code postmaster.pid} describes it. */
record Postmaster(long pid, int port) {

    private static final String FILE = "postmaster.pid";
    private static final int PORT_LINE = 3;

    /** The server that runs on these data; empty if none does. */
    static Optional<Postmaster> of(Path data) {
        Path file = data.resolve(FILE);
        try {
            List<String> lines = Files.readAllLines(file);
            if (lines.size() <= PORT_LINE) {
                return Optional.empty();
            }
            Postmaster found = new Postmaster(
                    Long.parseLong(lines.get(0).trim()),
                    Integer.parseInt(lines.get(PORT_LINE).trim()));
            if (found.alive()) {
                return Optional.of(found);
            }
            // Killed, or the machine went down. PostgreSQL would see that for itself unless the number belongs to
            // another program by now; then it would refuse to start.
            Files.delete(file);
            return Optional.empty();
        } catch (NoSuchFileException e) {
            return Optional.empty();
        } catch (IOException | NumberFormatException e) {
            throw new EmbeddedPostgresException("%s cannot be read: %s".formatted(file, e.getMessage()), e);
        }
    }

    /** A dead process that nobody has waited for yet has no command any more. */
    private boolean alive() {
        return ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .filter(command -> command.contains("postgres"))
                .isPresent();
    }
}
