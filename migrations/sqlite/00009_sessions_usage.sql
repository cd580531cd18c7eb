-- +goose Up
ALTER TABLE sessions ADD COLUMN title TEXT NOT NULL DEFAULT '';
ALTER TABLE sessions ADD COLUMN model TEXT NOT NULL DEFAULT '';

CREATE TABLE turn_usage (
  session TEXT NOT NULL,
  seq     INTEGER NOT NULL,
  tenant  TEXT NOT NULL,
  person  TEXT NOT NULL,
  agent   TEXT NOT NULL,
  channel TEXT NOT NULL,
  chat    TEXT NOT NULL,
  topic   TEXT NOT NULL,
  steps   INTEGER NOT NULL,
  input   INTEGER NOT NULL,
  cached  INTEGER NOT NULL,
  output  INTEGER NOT NULL,
  cost    INTEGER NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (session, seq)
);
CREATE INDEX turn_usage_time ON turn_usage (tenant, used_at);

-- +goose Down
DROP TABLE turn_usage;
ALTER TABLE sessions DROP COLUMN model;
ALTER TABLE sessions DROP COLUMN title;
