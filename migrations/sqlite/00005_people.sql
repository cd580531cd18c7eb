-- +goose Up
CREATE TABLE people (
  tenant     TEXT NOT NULL,
  id         TEXT NOT NULL,
  name       TEXT NOT NULL,
  role       TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, id)
);

CREATE TABLE accounts (
  tenant  TEXT NOT NULL,
  channel TEXT NOT NULL,
  person  TEXT NOT NULL,
  user_id TEXT NOT NULL,
  name    TEXT NOT NULL,
  direct  TEXT NOT NULL DEFAULT '',
  blocked INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, channel, user_id)
);
CREATE INDEX accounts_person ON accounts (tenant, person);

CREATE TABLE codes (
  tenant     TEXT NOT NULL,
  kind       TEXT NOT NULL,
  hash       TEXT NOT NULL,
  person     TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (tenant, hash)
);

CREATE TABLE requests (
  tenant     TEXT NOT NULL,
  code       TEXT NOT NULL,
  channel    TEXT NOT NULL,
  user_id    TEXT NOT NULL,
  name       TEXT NOT NULL,
  place      TEXT NOT NULL,
  asked_at   INTEGER NOT NULL,
  decision   TEXT NOT NULL DEFAULT '',
  decided_by TEXT NOT NULL DEFAULT '',
  decided_at INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (tenant, code)
);
CREATE UNIQUE INDEX requests_open ON requests (tenant, channel, user_id) WHERE decision = '';

-- +goose Down
DROP TABLE requests;
DROP TABLE codes;
DROP TABLE accounts;
DROP TABLE people;
