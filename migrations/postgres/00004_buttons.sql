-- +goose Up
CREATE TABLE buttons (
  token      TEXT NOT NULL PRIMARY KEY,
  tenant     TEXT NOT NULL,
  channel    TEXT NOT NULL,
  chat       TEXT NOT NULL,
  topic      TEXT NOT NULL,
  object     TEXT NOT NULL,
  revision   BIGINT NOT NULL,
  payload    TEXT NOT NULL,
  expires_at BIGINT NOT NULL
);
CREATE INDEX buttons_old ON buttons (expires_at);
CREATE INDEX buttons_chat ON buttons (channel, chat);

ALTER TABLE inbox ADD COLUMN bot BIGINT NOT NULL DEFAULT 0;

-- +goose Down
ALTER TABLE inbox DROP COLUMN bot;
DROP TABLE buttons;
