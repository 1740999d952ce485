package dev.rowlock.queue.benchmark.peer.nodejs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The peers that run on Node, installed by npm when they are first asked for. */
final class NodeModules {

    private static final List<String> FILES =
            List.of("package.json", "package-lock.json", "wire.js", "graphile-worker.js", "pg-boss.js");

    private NodeModules() {}

    /** Where they are installed. */
    static Path folder() {
        return Path.of(
                        System.getProperty("bench.folder", System.getProperty("java.io.tmpdir") + "/rowlock-benchmark"),
                        "node")
                .toAbsolutePath();
    }

    /** Node itself is one of the modules, in the release that they need. */
    static Path node() {
        return folder().resolve("node_modules/.bin/node");
    }

    /** Why they cannot be had here; empty once they are installed. */
    static Optional<String> missing() {
        try {
            copy();
            return installed() ? Optional.empty() : install();
        } catch (IOException e) {
            return Optional.of("npm could not be started (" + e.getMessage() + "): install Node and npm to have it");
        }
    }

    private static boolean installed() throws IOException {
        return Files.isExecutable(node()) && Files.exists(done()) && Files.mismatch(lock(), done()) == -1;
    }

    private static Path lock() {
        return folder().resolve("package-lock.json");
    }

    /** What has been installed: the lock of that time. */
    private static Path done() {
        return folder().resolve("node_modules/.installed.json");
    }

    private static void copy() throws IOException {
        Files.createDirectories(folder());
        for (String file : FILES) {
            try (InputStream content =
                    NodeModules.class.getResourceAsStream("/dev/rowlock/queue/benchmark/node/" + file)) {
                if (content == null) {
                    throw new UncheckedIOException(new IOException("there is no resource " + file));
                }
                Files.copy(content, folder().resolve(file), StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static Optional<String> install() throws IOException {
        Path log = folder().resolve("npm.log");
        Process npm = new ProcessBuilder("npm", "ci", "--no-audit", "--no-fund")
                .directory(folder().toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = npm.waitFor(5, TimeUnit.MINUTES);
            if (ended && npm.exitValue() == 0 && Files.isExecutable(node())) {
                Files.copy(lock(), done(), StandardCopyOption.REPLACE_EXISTING);
                return Optional.empty();
            }
            npm.destroyForcibly();
            return Optional.of("npm could not install it, see " + log);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }
}
