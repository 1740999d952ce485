-- The shop's own tables. Rowlock's live in a schema of their own, "rowlock", and migrate themselves.

CREATE TABLE catalog_import (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    file_name    text        NOT NULL,
    csv          bytea       NOT NULL,
    submitted_at timestamptz NOT NULL DEFAULT now(),
    job_id       bigint,                      -- of the job that reads the file
    row_count    int,                         -- null until that job has done so
    finished_at  timestamptz                  -- when nothing was left to be done
);

-- Rows that are no products, and why.
CREATE TABLE rejected_row (
    import_id bigint NOT NULL REFERENCES catalog_import,
    line      bigint NOT NULL,
    sku       text   NOT NULL,
    reason    text   NOT NULL,
    PRIMARY KEY (import_id, line)
);

-- Rows that are products. Each has a job; where that job stands is Rowlock's business and is not copied here.
CREATE TABLE import_item (
    import_id   bigint        NOT NULL REFERENCES catalog_import,
    line        bigint        NOT NULL,
    job_id      bigint        NOT NULL UNIQUE,
    sku         text          NOT NULL,
    name        text          NOT NULL,
    description text          NOT NULL,
    price       numeric(9, 2) NOT NULL,
    quantity    int           NOT NULL,
    picture     text          NOT NULL,
    done_at     timestamptz,                  -- set by the transaction that completes the job
    PRIMARY KEY (import_id, line),
    UNIQUE (import_id, sku)
);

CREATE TABLE product (
    sku         text          NOT NULL PRIMARY KEY,
    name        text          NOT NULL,
    description text          NOT NULL,
    price       numeric(9, 2) NOT NULL,
    quantity    bigint        NOT NULL
);

CREATE TABLE thumbnail (
    sku  text  NOT NULL REFERENCES product,
    edge int   NOT NULL,
    jpeg bytea NOT NULL,
    PRIMARY KEY (sku, edge)
);

-- Who put what into stock. No unique constraint on purpose: should a product ever be stocked twice, it shall show.
CREATE TABLE stock_movement (
    id          bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    moved_at    timestamptz NOT NULL DEFAULT now(),
    import_id   bigint      NOT NULL REFERENCES catalog_import,
    line        bigint      NOT NULL,
    sku         text        NOT NULL,
    quantity    int         NOT NULL,
    node        text        NOT NULL,
    job_id      bigint      NOT NULL,
    attempt     int         NOT NULL,
    claim_token bigint      NOT NULL
);
CREATE INDEX stock_movement_by_import ON stock_movement (import_id);

CREATE TABLE notification (
    id        bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    import_id bigint      NOT NULL REFERENCES catalog_import,
    message   text        NOT NULL,
    sent_at   timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE price_check (
    id         bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    checked_at timestamptz NOT NULL DEFAULT now(),
    products   int         NOT NULL,
    corrected  int         NOT NULL           -- how many prices differed from their last import
);
