-- +goose Up
CREATE TABLE grants (
  tenant     TEXT NOT NULL,
  code       TEXT NOT NULL,
  channel    TEXT NOT NULL,
  chat       TEXT NOT NULL,
  topic      TEXT NOT NULL,
  person     TEXT NOT NULL,
  name       TEXT NOT NULL,
  tools      TEXT NOT NULL,
  lasts      INTEGER NOT NULL,
  asked_at   INTEGER NOT NULL,
  decision   TEXT NOT NULL DEFAULT '',
  decided_by TEXT NOT NULL DEFAULT '',
  decided_at INTEGER NOT NULL DEFAULT 0,
  until      INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, code)
);
CREATE INDEX grants_place ON grants (tenant, channel, chat, topic, person);

-- +goose Down
DROP TABLE grants;
