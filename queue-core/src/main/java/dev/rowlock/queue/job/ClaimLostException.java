package dev.rowlock.queue.job;

/**
 * The job is not this node's any more: its lease ran out and another node took the job, it was taken after its deadline, or an
 * operator moved it. The outcome of this attempt is refused.
 *
 * <p>In a transactional listener, let it pass: the transaction must roll back.
 */
public final class ClaimLostException extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final transient Claim claim;

    public ClaimLostException(Claim claim) {
        super("job %d is no longer held under claim token %d: another node owns it now, or it was moved"
                .formatted(claim.jobId(), claim.token()));
        this.claim = claim;
    }

    public Claim claim() {
        return claim;
    }
}
