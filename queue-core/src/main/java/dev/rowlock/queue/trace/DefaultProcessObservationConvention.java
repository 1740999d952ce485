package dev.rowlock.queue.trace;

import dev.rowlock.queue.job.ClaimedJob;
import dev.rowlock.queue.trace.JobObservation.HighKeys;
import dev.rowlock.queue.trace.JobObservation.LowKeys;
import io.micrometer.common.KeyValue;
import io.micrometer.common.KeyValues;

/** {@code rowlock.job.process}, as a span {@code process <queue>}, with the keys of {@link JobObservation}. */
public final class DefaultProcessObservationConvention implements ProcessObservationConvention {

    private static final KeyValues ALWAYS = KeyValues.of(
            LowKeys.SYSTEM.withValue("rowlock"),
            LowKeys.OPERATION_NAME.withValue("process"),
            LowKeys.OPERATION_TYPE.withValue("process"));

    @Override
    public String getName() {
        return "rowlock.job.process";
    }

    @Override
    public String getContextualName(ProcessObservationContext context) {
        return "process " + context.jobs().get(0).queue();
    }

    @Override
    public KeyValues getLowCardinalityKeyValues(ProcessObservationContext context) {
        ClaimedJob first = context.jobs().get(0);
        boolean oneType = context.jobs().stream().allMatch(job -> job.type().equals(first.type()));
        String outcome = context.outcome();
        return ALWAYS.and(
                LowKeys.DESTINATION.withValue(first.queue()),
                LowKeys.TYPE.withValue(oneType ? first.type() : KeyValue.NONE_VALUE),
                LowKeys.OUTCOME.withValue(outcome != null ? outcome : KeyValue.NONE_VALUE));
    }

    @Override
    public KeyValues getHighCardinalityKeyValues(ProcessObservationContext context) {
        KeyValues keys = KeyValues.of(HighKeys.CLIENT_ID.withValue(context.clientId()));
        if (context.jobs().size() > 1) {
            return keys.and(HighKeys.BATCH_COUNT.withValue(
                    Integer.toString(context.jobs().size())));
        }
        ClaimedJob job = context.jobs().get(0);
        keys = keys.and(
                HighKeys.MESSAGE_ID.withValue(Long.toString(job.id())),
                HighKeys.ATTEMPT.withValue(Integer.toString(job.attempt())));
        String conversation = context.conversation();
        return conversation == null ? keys : keys.and(HighKeys.CONVERSATION_ID.withValue(conversation));
    }
}
