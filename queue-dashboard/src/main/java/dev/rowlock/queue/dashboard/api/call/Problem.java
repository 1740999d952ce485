package dev.rowlock.queue.dashboard.api.call;

/** A request that is not fulfilled, with what the page tells its user. */
public final class Problem extends RuntimeException {

    private static final long serialVersionUID = 1L;

    private final int status;

    public Problem(int status, String message) {
        super(message, null, false, false);
        this.status = status;
    }

    public static Problem invalid(String message) {
        return new Problem(400, message);
    }

    public static Problem missing(String what) {
        return new Problem(404, what + ": there is none, or it is not there any more");
    }

    public int status() {
        return status;
    }

    public String text() {
        return String.valueOf(getMessage());
    }
}
