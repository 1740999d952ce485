package dev.rowlock.queue.trace;

import dev.rowlock.queue.spi.EnqueueCall;
import dev.rowlock.queue.trace.JobObservation.HighKeys;
import dev.rowlock.queue.trace.JobObservation.LowKeys;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;
import java.util.Locale;

/** {@code rowlock.job.enqueue}, as a span {@code send <queue>}, with the keys of {@link JobObservation}. */
public final class DefaultEnqueueObservationConvention implements EnqueueObservationConvention {

    private static final KeyValues ALWAYS = KeyValues.of(
            LowKeys.SYSTEM.withValue("rowlock"),
            LowKeys.OPERATION_NAME.withValue("send"),
            LowKeys.OPERATION_TYPE.withValue("send"));

    @Override
    public String getName() {
        return "rowlock.job.enqueue";
    }

    @Override
    public String getContextualName(EnqueueObservationContext context) {
        return context.call().queue().map("send "::concat).orElse("send");
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(EnqueueObservationContext context) {
        EnqueueCall call = context.call();
        return ALWAYS.and(
                LowKeys.DESTINATION.withValue(call.queue().orElse(KeyValue.NONE_VALUE)),
                LowKeys.TYPE.withValue(call.type().orElse(KeyValue.NONE_VALUE)),
                LowKeys.OUTCOME.withValue(call.answer()
                        .map(answer -> answer.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .orElse(KeyValue.NONE_VALUE)));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(EnqueueObservationContext context) {
        EnqueueCall call = context.call();
        KeyValues keys = KeyValues.of(HighKeys.CLIENT_ID.withValue(context.clientId()));
        if (call.id().isPresent()) {
            keys = keys.and(
                    HighKeys.MESSAGE_ID.withValue(Long.toString(call.id().getAsLong())));
        }
        if (call.bulk()) {
            keys = keys.and(HighKeys.BATCH_COUNT.withValue(Long.toString(call.jobs())));
        }
        String conversation = context.conversation();
        return conversation == null ? keys : keys.and(HighKeys.CONVERSATION_ID.withValue(conversation));
    }
}
