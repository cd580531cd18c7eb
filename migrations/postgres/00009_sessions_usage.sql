-- +goose Up
ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT '';

CREATE TABLE turn_usage (
  session TEXT NOT NULL,
  seq     BIGINT NOT NULL,
  tenant  TEXT NOT NULL,
  person  TEXT NOT NULL,
  agent   TEXT NOT NULL,
  channel TEXT NOT NULL,
  chat    TEXT NOT NULL,
  topic   TEXT NOT NULL,
  steps   BIGINT NOT NULL,
  input   BIGINT NOT NULL,
  cached  BIGINT NOT NULL,
  output  BIGINT NOT NULL,
  cost    BIGINT NOT NULL,
  used_at BIGINT NOT NULL,
  PRIMARY KEY (session, seq)
);
CREATE INDEX turn_usage_time ON turn_usage (tenant, used_at);

-- +goose Down
DROP TABLE turn_usage;
ALTER TABLE sessions DROP COLUMN model;
ALTER TABLE sessions DROP COLUMN title;
