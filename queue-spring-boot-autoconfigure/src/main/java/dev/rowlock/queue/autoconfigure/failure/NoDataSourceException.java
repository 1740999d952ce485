package dev.rowlock.queue.autoconfigure.failure;

import java.util.List;

/** It is not clear in which database the jobs are: there is no DataSource, or several without a choice. */
public final class NoDataSourceException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    private final List<String> candidates;

    /** {@code candidates} are the names of the DataSource beans; empty: there are none. */
    public NoDataSourceException(List<String> candidates) {
        super(
                candidates.isEmpty()
                        ? "there is no DataSource, and Rowlock keeps its jobs in a PostgreSQL database"
                        : "there are several DataSources and none is primary: " + candidates);
        this.candidates = List.copyOf(candidates);
    }

    List<String> candidates() {
        return candidates;
    }
}
