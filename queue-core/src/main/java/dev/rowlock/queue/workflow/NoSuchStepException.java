package dev.rowlock.queue.workflow;

import java.util.List;

/** The workflow has no step of this name. */
public final class NoSuchStepException extends IllegalArgumentException {

    private static final long serialVersionUID = 1L;

    private static final int NAMED = 20;

    private final long workflow;
    private final String step;

    /** @param steps names of the steps that it has, in their order; the message has twenty of them */
    public NoSuchStepException(long workflow, String step, List<String> steps) {
        super("workflow %d has no step '%s'; it has [%s%s]"
                .formatted(
                        workflow,
                        step,
                        String.join(", ", steps.subList(0, Math.min(NAMED, steps.size()))),
                        steps.size() > NAMED ? ", ..." : ""));
        this.workflow = workflow;
        this.step = step;
    }

    /** The workflow's id. */
    public long workflow() {
        return workflow;
    }

    /** The name for which there is no step. */
    public String step() {
        return step;
    }
}
