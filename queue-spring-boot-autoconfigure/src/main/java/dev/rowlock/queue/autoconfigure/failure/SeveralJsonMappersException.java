package dev.rowlock.queue.autoconfigure.failure;

import java.util.List;

/** It is not clear how payloads are written and read: there are several mappers without a choice. */
public final class SeveralJsonMappersException extends IllegalStateException {

    private static final long serialVersionUID = 1L;

    /** {@code candidates} are the names of the beans. */
    public SeveralJsonMappersException(List<String> candidates) {
        super(
                "there are several JsonMappers and none is primary: %s; payloads that one has written another may read wrongly"
                        .formatted(candidates));
    }
}
