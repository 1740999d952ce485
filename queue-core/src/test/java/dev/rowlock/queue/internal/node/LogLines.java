package dev.rowlock.queue.internal.node;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Hears what a logger writes, from any thread, until it is closed. */
public final class LogLines extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private final Logger logger;
    private final @Nullable Level before;
    private final Queue<ILoggingEvent> events = new ConcurrentLinkedQueue<>();

    public LogLines(String name) {
        logger = (Logger) LoggerFactory.getLogger(name);
        before = logger.getLevel();
        start();
        logger.addAppender(this);
    }

    public LogLines atDebug() {
        logger.setLevel(Level.DEBUG);
        return this;
    }

    @Override
    protected void append(ILoggingEvent event) {
        event.getMDCPropertyMap();
        events.add(event);
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(events);
    }

    public List<String> lines() {
        return events.stream()
                .map(event -> event.getLevel() + " " + event.getFormattedMessage())
                .toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(before);
    }
}
