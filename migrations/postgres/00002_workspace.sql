-- +goose Up
CREATE TABLE files (
  tenant     TEXT    NOT NULL,
  agent      TEXT    NOT NULL,
  person     TEXT    NOT NULL,
  path       TEXT    NOT NULL,
  version    BIGINT NOT NULL,
  newest     BIGINT NOT NULL,
  deleted    BIGINT NOT NULL DEFAULT 0,
  hash       TEXT    NOT NULL,
  size       BIGINT NOT NULL,
  media_type TEXT    NOT NULL,
  changed_at BIGINT NOT NULL,
  PRIMARY KEY (tenant, agent, person, path, version)
);
CREATE UNIQUE INDEX files_newest ON files (tenant, agent, person, path) WHERE newest = 1;
CREATE INDEX files_hash ON files (hash);

-- +goose Down
DROP TABLE files;
