package dev.rowlock.queue.settings;

/** What an application does about Rowlock's tables when it starts. */
public enum SchemaMode {
    /** Makes or upgrades them. Nodes that start together wait for one another. */
    MIGRATE,
    /** Changes nothing and refuses to start unless they are there and new enough. */
    VALIDATE,
    /** Does not look: somebody else takes care. */
    NONE
}
