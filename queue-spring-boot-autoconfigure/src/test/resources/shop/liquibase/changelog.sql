--liquibase formatted sql

--changeset shop:1
--preconditions onFail:HALT onError:HALT
--precondition-sql-check expectedResult:0 SELECT count(*) FROM pg_namespace WHERE nspname = 'rowlock'
CREATE TABLE product (id bigint PRIMARY KEY, name text NOT NULL);
