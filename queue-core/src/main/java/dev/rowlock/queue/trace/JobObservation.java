package dev.rowlock.queue.trace;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/** What is observed, by which names and keys: OpenTelemetry's conventions for messaging, and some of Rowlock's own. */
public enum JobObservation implements ObservationDocumentation {
    /** A call that enqueues jobs, one or many, from before the first insert to its return. */
    ENQUEUE {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultEnqueueObservationConvention.class;
        }
    },

    /** An attempt: the handler, its transaction and interceptors; or a call with a chunk. */
    PROCESS {
        @Override
        public Class<? extends ObservationConvention<? extends Observation.Context>> getDefaultConvention() {
            return DefaultProcessObservationConvention.class;
        }
    };

    @Override
    public KeyName[] getLowCardinalityKeyNames() {
        return LowKeys.values();
    }

    @Override
    public KeyName[] getHighCardinalityKeyNames() {
        return HighKeys.values();
    }

    /** Always all of them; {@code none} where there is no value. */
    public enum LowKeys implements KeyName {
        /** {@code rowlock}. */
        SYSTEM("messaging.system"),
        /** {@code send} or {@code process}. */
        OPERATION_NAME("messaging.operation.name"),
        /** As OpenTelemetry knows it: {@code send} or {@code process}. */
        OPERATION_TYPE("messaging.operation.type"),
        /** The queue; {@code none} for a call whose jobs go to several. */
        DESTINATION("messaging.destination.name"),
        /** The type of the job; {@code none} for several. */
        TYPE("rowlock.job.type"),
        /** What became of it. */
        OUTCOME("rowlock.job.outcome");

        private final String key;

        LowKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }
    }

    /** Those that are known. Tags of spans only. */
    public enum HighKeys implements KeyName {
        /** The job's id. */
        MESSAGE_ID("messaging.message.id"),
        /** What the job belongs to, over all traces. */
        CONVERSATION_ID("messaging.message.conversation_id"),
        /** The name of the process. */
        CLIENT_ID("messaging.client.id"),
        /** How many jobs a bulk call or a chunk has. */
        BATCH_COUNT("messaging.batch.message_count"),
        /** The attempt, 1 for the first. */
        ATTEMPT("rowlock.job.attempt");

        private final String key;

        HighKeys(String key) {
            this.key = key;
        }

        @Override
        public String asString() {
            return key;
        }

        @Override
        public boolean isRequired() {
            return this == CLIENT_ID;
        }
    }
}
