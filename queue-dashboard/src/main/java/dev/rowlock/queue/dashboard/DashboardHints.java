package dev.rowlock.queue.dashboard;

import dev.rowlock.queue.dashboard.web.Assets;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** Takes the page's files into a native image. */
final class DashboardHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        Assets.NAMES.forEach(name -> hints.resources().registerPattern(Assets.FOLDER + name));
    }
}
