-- +goose Up
CREATE TABLE place_settings (
  tenant   TEXT NOT NULL,
  channel  TEXT NOT NULL,
  chat     TEXT NOT NULL,
  topic    TEXT NOT NULL,
  key      TEXT NOT NULL,
  value    TEXT NOT NULL,
  set_by   TEXT NOT NULL,
  set_at   BIGINT NOT NULL,
  revision BIGINT NOT NULL,
  PRIMARY KEY (tenant, channel, chat, topic, key)
);

-- +goose Down
DROP TABLE place_settings;
