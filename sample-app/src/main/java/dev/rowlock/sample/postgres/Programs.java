package dev.rowlock.sample.postgres;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Runs the programs of PostgreSQL.
 *
 * @param home the folder that holds {@code bin}
 * @param log what they say goes there
 * @param privileges what they may do
 */
record Programs(Path home, Path log, Privileges privileges) {

    private static final int TIMEOUT_SECONDS = 120;
    private static final int MAX_TAIL = 2_000;

    /** Runs a program to its end. Throws, with what it said, if it fails. */
    void run(String program, String... arguments) {
        List<String> command = new ArrayList<>(privileges.prefix());
        command.add(home.resolve("bin").resolve(program).toString());
        command.addAll(List.of(arguments));
        try {
            long before = Files.exists(log) ? Files.size(log) : 0;
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()))
                    .start();
            if (!process.waitFor(TIMEOUT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new EmbeddedPostgresException(
                        "%s took longer than %d s: %s".formatted(program, TIMEOUT_SECONDS, tail(before)));
            }
            if (process.exitValue() != 0) {
                throw new EmbeddedPostgresException("%s failed: %s".formatted(program, tail(before)));
            }
        } catch (IOException e) {
            throw new EmbeddedPostgresException("%s cannot be run: %s".formatted(program, e.getMessage()), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new EmbeddedPostgresException("waiting for %s was interrupted".formatted(program), e);
        }
    }

    private String tail(long from) throws IOException {
        byte[] all = Files.readAllBytes(log);
        int start = (int) Math.max(from, all.length - MAX_TAIL);
        return new String(all, start, all.length - start, Charset.defaultCharset()).strip();
    }
}
