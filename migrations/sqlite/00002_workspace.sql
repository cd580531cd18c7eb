-- +goose Up
CREATE TABLE files (
  tenant     TEXT    NOT NULL,
  agent      TEXT    NOT NULL,
  person     TEXT    NOT NULL,
  path       TEXT    NOT NULL,
  version    INTEGER NOT NULL,
  newest     INTEGER NOT NULL,
  deleted    INTEGER NOT NULL DEFAULT 0,
  hash       TEXT    NOT NULL,
  size       INTEGER NOT NULL,
  media_type TEXT    NOT NULL,
  changed_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, agent, person, path, version)
);
CREATE UNIQUE INDEX files_newest ON files (tenant, agent, person, path) WHERE newest = 1;
CREATE INDEX files_hash ON files (hash);

-- +goose Down
DROP TABLE files;
