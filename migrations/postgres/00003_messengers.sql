-- +goose Up
ALTER TABLE inbox ADD COLUMN album TEXT NOT NULL DEFAULT '';
ALTER TABLE inbox ADD COLUMN hold_until BIGINT NOT NULL DEFAULT 0;
ALTER TABLE inbox ADD COLUMN preview TEXT NOT NULL DEFAULT '';
CREATE INDEX inbox_album ON inbox (album) WHERE album <> '';

ALTER TABLE outbox ADD COLUMN parts BIGINT NOT NULL DEFAULT 0;

CREATE TABLE heard (
  channel      TEXT    NOT NULL,
  event_key    TEXT    NOT NULL,
  tenant       TEXT    NOT NULL,
  conversation TEXT    NOT NULL,
  album        TEXT    NOT NULL DEFAULT '',
  payload      TEXT    NOT NULL,
  heard_at     BIGINT NOT NULL,
  taken_at     BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (channel, event_key)
);
CREATE INDEX heard_open ON heard (conversation, heard_at) WHERE taken_at = 0;
CREATE INDEX heard_old ON heard (heard_at);

-- +goose Down
DROP TABLE heard;
ALTER TABLE outbox DROP COLUMN parts;
DROP INDEX inbox_album;
ALTER TABLE inbox DROP COLUMN preview;
ALTER TABLE inbox DROP COLUMN hold_until;
ALTER TABLE inbox DROP COLUMN album;
