package dev.rowlock.queue.spring;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.JobHandler;
import org.jspecify.annotations.Nullable;

/** Runs a job by calling a bean's method with the decoded payload. */
final class MethodJobHandler implements JobHandler {

    private final ListenerCall call;
    private final ListenerMethod listener;

    /** @throws IllegalArgumentException if the codec refuses payloads of that type */
    MethodJobHandler(ListenerCall call, ListenerMethod listener) {
        this.call = call;
        this.listener = listener;
        call.requireReadable(listener.payload());
    }

    @Override
    public @Nullable Object handle(JobContext context, String payload) throws Throwable {
        Object[] arguments = call.arguments();
        arguments[listener.payloadIndex()] = call.decode(payload, listener.payload());
        if (listener.contextIndex() >= 0) {
            arguments[listener.contextIndex()] = context;
        }
        return call.invoke(arguments);
    }
}
