-- +goose Up
-- What was done in whose name, and what was refused.
CREATE TABLE audit (
  id      TEXT NOT NULL PRIMARY KEY, -- ordered by time
  tenant  TEXT NOT NULL,
  kind    TEXT NOT NULL,
  person  TEXT NOT NULL,
  agent   TEXT NOT NULL,
  session TEXT NOT NULL,
  channel TEXT NOT NULL,
  chat    TEXT NOT NULL,
  topic   TEXT NOT NULL,
  what    TEXT NOT NULL,
  outcome TEXT NOT NULL,
  detail  TEXT NOT NULL,
  done_at INTEGER NOT NULL
);
CREATE INDEX audit_time ON audit (tenant, done_at);

-- +goose Down
DROP TABLE audit;
