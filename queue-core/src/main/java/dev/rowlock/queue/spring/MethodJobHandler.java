package dev.rowlock.queue.spring;

import dev.rowlock.queue.job.JobContext;
import dev.rowlock.queue.spi.JobHandler;
import dev.rowlock.queue.spi.PayloadCodec;
import dev.rowlock.queue.spi.PayloadException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/** Runs a job by calling a bean's method with the decoded payload. */
final class MethodJobHandler implements JobHandler {

    private final Object bean;
    private final Method invocable;
    private final ListenerMethod listener;
    private final PayloadCodec codec;

    /**
     * @param bean may be a proxy
     * @param invocable the listener's method as this bean can be called by it
     * @throws IllegalArgumentException if the codec refuses payloads of that type
     */
    MethodJobHandler(Object bean, Method invocable, ListenerMethod listener, PayloadCodec codec) {
        this.bean = bean;
        this.invocable = invocable;
        this.listener = listener;
        this.codec = codec;
        try {
            codec.check(listener.payload());
        } catch (PayloadException e) {
            throw new IllegalArgumentException(e.getMessage(), e);
        }
    }

    @Override
    public @Nullable Object handle(JobContext context, String payload) throws Throwable {
        Object[] arguments = new Object[invocable.getParameterCount()];
        arguments[listener.payloadIndex()] = codec.decode(payload, listener.payload());
        if (listener.contextIndex() >= 0) {
            arguments[listener.contextIndex()] = context;
        }
        try {
            return invocable.invoke(bean, arguments);
        } catch (InvocationTargetException e) {
            throw e.getTargetException();
        }
    }
}
