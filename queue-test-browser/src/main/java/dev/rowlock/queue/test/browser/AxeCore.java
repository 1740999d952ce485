package dev.rowlock.queue.test.browser;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** The script of axe-core, which finds what keeps people from using a page. */
final class AxeCore {

    private AxeCore() {}

    static String script() {
        try (InputStream stream = AxeCore.class.getResourceAsStream("/axe.min.js")) {
            if (stream == null) {
                throw new IllegalStateException("axe.min.js is not on the class path");
            }
            return new String(stream.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
